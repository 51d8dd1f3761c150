"""The choices of the environments by the plain models of the rulings: which are legal, and what follows."""

from tests.engines.gridcannon import model as gridcannon
from tests.engines.referee import Json
from tests.engines.regicide import model as regicide
from tests.engines.regicide.boards import PACK

TABLES = [("regicide", 1), ("regicide", 2), ("regicide", 3), ("regicide", 4), ("gridcannon", 2), ("gridcannon", 4)]
IDS = [f"{name}-{players}" for name, players in TABLES]


class RegicideChoices:
    """Regicide's choices: a discard is one card each, until the blow is covered (R13)."""

    def __init__(self, position: Json) -> None:
        self.position = position
        self.set_aside: list[str] = []

    def seat(self) -> int:
        """Return the seat that chooses."""
        return int(self.position["turn"])

    def legal(self) -> set[str]:
        """Return the texts of the legal choices."""
        texts: set[str] = set()
        for action in regicide.allowed(self.position):
            cards = sorted(action.get("cards", []), key=PACK.index)
            if action["type"] == "discard":
                if {*self.set_aside} < {*cards}:
                    texts |= {f"discard {card}" for card in cards if card not in self.set_aside}
            elif action["type"] == "flip_jester":
                texts |= set() if self.set_aside else {"flip"}
            else:
                texts.add(" ".join([action["type"], *cards, *([str(action["seat"])] if "seat" in action else [])]))
        return texts

    def choose(self, text: str, seed: str) -> None:
        """Carry out a choice; the position stays as it was while a discard is incomplete."""
        verb, *words = text.split()
        action: Json = {"type": "flip_jester" if verb == "flip" else verb}
        if verb == "discard":
            self.set_aside += words
            if regicide.worth(self.set_aside) < regicide.attack(self.position):
                return
            action["cards"], self.set_aside = self.set_aside, []
            assert regicide.may_discard(tuple(action["cards"]), regicide.attack(self.position))
        elif verb == "play":
            action["cards"] = words
        elif verb == "choose":
            action["seat"] = int(words[0])
        self.position = regicide.ruled(self.position, action, seed)


class GridcannonChoices:
    """Gridcannon's choices: after every change each seat that may act but needn't is asked once."""

    def __init__(self, position: Json) -> None:
        self.position = position
        self.unasked: list[int] = []

    def seat(self) -> int:
        """Return the seat that chooses."""
        busy = gridcannon.to_act(self.position)
        assert busy is not None
        return self.unasked[0] if self.unasked else busy

    def legal(self) -> set[str]:
        """Return the texts of the legal choices."""
        return {*gridcannon.allowed(self.position, self.seat()), *(["pass"] if self.unasked else [])}

    def choose(self, text: str, seed: str) -> None:
        """Carry out a choice."""
        if text == "pass":
            self.unasked.pop(0)
            return
        self.position = gridcannon.ruled(self.position, self.seat(), text, seed)
        players, turn = self.position["players"], self.position["turn"]
        clockwise = [(turn + after) % players for after in range(players)]
        busy = gridcannon.to_act(self.position)
        self.unasked = [seat for seat in clockwise if seat != busy and gridcannon.allowed(self.position, seat)]


def choices_of(position: Json) -> RegicideChoices | GridcannonChoices:
    """Return the choices from *position* on."""
    return RegicideChoices(position) if position["ruleset"] == "regicide" else GridcannonChoices(position)
