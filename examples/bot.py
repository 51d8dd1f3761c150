"""A player of both games in thirty lines of code: ``regicide bot ... --exec "python examples/bot.py"``.

It needs nothing but Python and remembers nothing: it looks one step ahead. In Regicide: what does a card win, in damage
and in draws, and can the hand that is left cover the blow that follows? In Gridcannon, where a number fires when it
closes a line: close lines at the royals of others, stay off those at your own, and cover low cards, which are of least
use. Alone against the castle it defeats seven enemies on the average; of Gridcannon it wins two games in three against
a novice.
"""

import json
import sys

WORTH = {rank: number for number, rank in enumerate("A23456789T", start=1)} | {"J": 10, "Q": 15, "K": 20, "X": 0}
FAMILY = {"red": "DH", "black": "CS"}
TRIGGER = {"1": "{0}4", "5": "{0}2", "a": "d{1}", "e": "b{1}"}


def regicide(view, seat, action):
    """Return how good an action is: damage and draws, less the blow that follows, which the hand must cover."""
    cards, kind = action.get("cards", []), action["type"]
    worth = sum(WORTH[card[0]] for card in cards)
    if kind not in ("play", "yield"):
        return -50 if kind == "flip_jester" else -worth
    suits = {card[1] for card in cards} - ({view["enemy"][1]} if view["immune"] else set())
    damage, health = worth * (1 + ("C" in suits)), 2 * WORTH[view["enemy"][0]] - view["damage"]
    blow = view["attack"] - worth * ("S" in suits) if damage < health else 0
    left = sum(WORTH[card[0]] for card in view["hands"][seat]) - worth
    gain = min(damage, health) + 8 * (damage == health) + worth * ("D" in suits) + worth * ("S" in suits)
    return gain - 1.2 * worth - max(0, blow) / 2 - 1000 * (blow > left)


def gridcannon(view, seat, action):
    """Return how good an action is: lines closed at others less those closed at us, then how little is covered."""
    if action["type"] != "place":
        return 0
    cell, own, fired = action["cell"], FAMILY.get(view["families"][seat], view["families"][seat]), 0
    for slot, royal in view["royals"].items():
        if royal["alive"] and (TRIGGER.get(slot[1]) or TRIGGER[slot[0]]).format(*slot) == cell:
            fired += -1 if royal["card"][1] in own else 1
    return 10 * fired - sum(WORTH[card[0]] for card in view["grid"][cell][-1:])


RATE = {"regicide": regicide, "gridcannon": gridcannon}  # of any other game it takes the first legal action

for question in map(json.loads, sys.stdin):
    if "ended" in question:
        break
    if "error" in question:
        sys.exit(f"The server refused my move: {question['error']['detail']}")
    view, seat, rate = question["view"], question["seat"], RATE.get(question["view"]["ruleset"], lambda *_: 0)
    legal = [legal["action"] for legal in question["actions"]] if seat in question["to_act"] else [None]
    print(json.dumps(max(legal, key=lambda action: action and rate(view, seat, action))), flush=True)
