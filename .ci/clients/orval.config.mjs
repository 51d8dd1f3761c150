// How orval writes its client, beside this file: functions that ask by fetch.
export default { regicide: { input: "contract.yaml", output: { target: "client.ts", client: "fetch", mode: "single" } } };
