// The client: openapi-fetch with the types that openapi-typescript writes from openapi.yaml.

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./contract.js";

export type { components, paths } from "./contract.js";

/** A game as GET /v1/games/{game_id} answers it. */
export type Game = components["schemas"]["Game"];

/** Return a client of the server at an address; with a seat's or a host's token it acts for them. */
export function connect(address: string, token?: string): Client<paths> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return createClient<paths>({ baseUrl: address, headers });
}
