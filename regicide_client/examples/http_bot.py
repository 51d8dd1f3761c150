"""A random bot over HTTP, in Gridcannon against a novice AI: ``python3 http_bot.py http://127.0.0.1:8000``."""

import json
import random
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def ask(path, body=None, token="", kind="application/json"):
    head = {
        "Content-Type": "application/json",
        "Accept": kind,
        **({"Authorization": f"Bearer {token}"} if token else {}),
    }
    try:
        return urlopen(Request(sys.argv[1] + path, None if body is None else json.dumps(body).encode(), head))
    except HTTPError as refusal:  # 409, 412 or 422 mean that the game has changed meanwhile
        return refusal


seats = [{"kind": "human", "name": "Bot"}, {"kind": "ai", "level": "novice"}]
game = json.load(ask("/v1/games", {"ruleset": "gridcannon", "seats": seats}))
path, token = f"/v1/games/{game['id']}", game["tokens"]["0"]
for line in ask(f"{path}/stream", None, token, "application/x-ndjson"):
    if line.strip() and 0 in json.loads(line).get("to_act", ()):  # keep-alives are empty lines, notices have no to_act
        actions = json.load(ask(f"{path}/actions", None, token))["actions"]
        if actions:  # the list is empty if the line is older than our last action
            ask(f"{path}/actions", {"text": random.choice(actions)["text"]}, token)
outcome = json.load(ask(path, None, token))["outcome"]
print("I have won." if outcome["winner"] == 0 else "I haven't won.")
