"""A game as one seat plays it in the terminal: texts and choices, for the dialogue and the full screen.

The sentences of actions, events and hints come from the server, in the language that its client requests. The table is
drawn by the installed ruleset.
"""

from collections.abc import Iterator, Sequence
from threading import Event, Lock
from typing import ClassVar, Final

from engines import RULESETS
from engines.core.phrase import Phrase, Translator
from regicide_client import Player, RegicideError
from regicide_client.types import Decision, Game, Legal, Seat

ENDED_STATUSES: Final = ("finished", "abandoned")
HINT_TIMEOUT_SECONDS: Final = 60.0
REVIEW_TIMEOUT_SECONDS: Final = 600.0
WAIT_SECONDS: Final = 20
WON, LOST, DRAWN = "won", "lost", "drawn"
PHRASE_BY_RESULT: Final = {
    WON: Phrase("You have won!"),
    LOST: Phrase("You have lost."),
    DRAWN: Phrase("It is a draw."),
}
TEAM_PHRASE_BY_RESULT: Final = {WON: Phrase("Your team has won!"), LOST: Phrase("Your team has lost.")}
NO_MISTAKE_PHRASE: Final = Phrase("An AI finds no mistake in your game.")
ABANDONED_PHRASE: Final = Phrase("The game was ended before its end.")


class GamePresenter:
    """A seat of a game, and the version up to which its events were shown."""

    is_puzzle: ClassVar[bool] = False
    """True for a puzzle, which has no hints, no turns of other players and no review."""

    def __init__(self, player: Player, host: Player | None, translate: Translator) -> None:
        self.player = player
        self.game = player.fetch()
        self._host = host
        self._translate = translate
        self._said = -1
        self._left = Event()
        self._telling = Lock()
        self._taking = Lock()

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended."""
        return self.game["status"] in ENDED_STATUSES

    @property
    def must_act(self) -> bool:
        """Return whether the game waits for this seat."""
        return not self.is_over and self.game["you"] in self.game["to_act"]

    @property
    def may_act(self) -> bool:
        """Return whether this seat may act, though the game doesn't wait for it."""
        return not self.is_over and self.game["you"] in self.game["may_act"]

    def changes(self) -> Iterator[Game]:
        """Yield the game at each change until it ends or is left. This blocks. Raises ``RegicideError``."""
        version, ended = self.game["version"], self.is_over
        while not (ended or self._left.is_set()):
            try:
                game = self.player.fetch_if_changed(version, wait=WAIT_SECONDS)
            except (RegicideError, RuntimeError):  # RuntimeError means that the client was closed
                if self._left.is_set():
                    return
                raise
            if game is not None:
                version, ended = game["version"], game["status"] in ENDED_STATUSES
                yield game

    def take(self, game: Game) -> bool:
        """Make *game* the present state unless it is older. Return whether its id, version or status is a new one.

        Answers and reported changes arrive in different threads, and not always in the order of their versions. A
        puzzle that begins again is a game with another id, which is never older.
        """
        with self._taking:
            known = self.game
            if game["id"] == known["id"] and game["version"] < known["version"]:
                return False
            self.game = game
        return any(game[field] != known[field] for field in ("id", "version", "status"))

    def refresh(self) -> None:
        """Fetch the present state of the game."""
        self.take(self.player.fetch())

    def say(self, phrase: Phrase) -> str:
        """Return a phrase in the reader's language."""
        return phrase.render(self._translate)

    def heading(self) -> str:
        """Return the game's title and the players."""
        ruleset = RULESETS.get(self.game["ruleset"])
        title = self.game["ruleset"] if ruleset is None else ruleset.title
        return f"{title}: {', '.join(self.name_with_level(seat) for seat in self.game['seats'])}."

    def name_with_level(self, seat: Seat) -> str:
        """Return the name of a seat's player, with the level of an AI."""
        if seat["seat"] == self.game["you"]:
            return self.say(Phrase("{name} (you)", name=self.name(seat["seat"])))
        if "level" in seat:
            return f"{self.name(seat['seat'])} ({seat['level']})"
        return self.name(seat["seat"])

    def name(self, seat: int) -> str:
        """Return the name of a seat's player."""
        return self.game["seats"][seat].get("name") or self.say(Phrase("open seat"))

    def table(self) -> list[str]:
        """Return the lines of the table as this seat sees it, or none before the start or without the ruleset."""
        ruleset = RULESETS.get(self.game["ruleset"])
        if ruleset is None or self.game["view"] is None:
            return []
        return [self.say(line).rstrip() for line in ruleset.picture(self.game["view"], self.name)]

    def news(self) -> list[str]:
        """Return the sentences of the events since the last call, up to the game's present version."""
        ruleset = RULESETS.get(self.game["ruleset"])
        unspoken = () if ruleset is None else ruleset.unspoken
        with self._telling:
            version = self.game["version"]
            events = [event for event in self.player.events(after=self._said) if event["version"] <= version]
            self._said = max(self._said, version)
        return [event["text"] for event in events if event["type"] not in unspoken]

    def waits_for(self) -> str:
        """Return the sentence that names the seats that must act."""
        names = ", ".join(self.name(seat) for seat in self.game["to_act"])
        if self.game["status"] == "waiting":
            return self.say(Phrase("Waiting for others to sit down."))
        return self.say(Phrase("Waiting for {names}.", names=names))

    def asks(self) -> str:
        """Return the sentence that asks this seat to act."""
        return self.say(Phrase("Your turn."))

    def choices(self) -> list[Legal]:
        """Return the legal actions of this seat at the present version."""
        return self.player.actions()

    def act(self, text: str) -> None:
        """Take an action. Raises ``ProblemError`` with the server's sentence."""
        self.player.act(text, expected=self.game["version"])
        self.refresh()

    def hint(self) -> list[str]:
        """Return what an AI would do here and why, or an empty list if the game has changed meanwhile."""
        result = self.player.hint().wait(HINT_TIMEOUT_SECONDS).get("result")
        if result is None:
            return []
        best = result["actions"][0]
        chance = round(100 * best["value"])
        return [self.say(Phrase("{action} ({chance}%)", action=best["label"], chance=chance)), result["why"]]

    def result(self) -> str | None:
        """Return ``won``, ``lost`` or ``drawn`` for this seat; None if the game has no result."""
        ruleset, outcome, seat = RULESETS.get(self.game["ruleset"]), self.game["outcome"], self.game["you"]
        if ruleset is None or outcome is None or seat is None or self.game["status"] != "finished":
            return None
        verdict = ruleset.verdict(outcome, len(self.game["seats"]))
        if verdict.drawn:
            return DRAWN
        return WON if seat in verdict.winners else LOST

    def ending(self) -> str:
        """Return a sentence on how the game has ended for this seat."""
        result, ruleset = self.result(), RULESETS.get(self.game["ruleset"])
        if result is None or ruleset is None:
            return self.say(ABANDONED_PHRASE)
        is_team = ruleset.cooperative and len(self.game["seats"]) > 1
        if result == LOST and not is_team and not ruleset.cooperative:
            return f"{self.say(PHRASE_BY_RESULT[LOST])} {self._winners()}"
        return self.say((TEAM_PHRASE_BY_RESULT if is_team else PHRASE_BY_RESULT)[result])

    def _winners(self) -> str:
        ruleset, outcome = RULESETS[self.game["ruleset"]], self.game["outcome"] or {}
        winners = ruleset.verdict(outcome, len(self.game["seats"])).winners
        return self.say(Phrase("{names} won.", names=", ".join(self.name(seat) for seat in winners)))

    def review(self) -> Sequence[Decision]:
        """Return the decisions of this seat that lowered its chances, as an AI judges them."""
        job = self.player.review().wait(REVIEW_TIMEOUT_SECONDS)
        decisions: list[Decision] = (job.get("result") or {"decisions": []})["decisions"]
        return [one for one in decisions if one["kind"] not in ("good", "forced")]

    def better(self, one: Decision) -> str:
        """Return a sentence that says what would have been better than a reviewed decision, and why."""
        return self.say(
            Phrase(
                "Step {version}: better: {best}. You played: {played}. {why}",
                version=one["version"],
                best=one["best_label"],
                played=one["label"],
                why=one["why"],
            )
        )

    def leave(self) -> None:
        """Stop following the game, and abandon it if no other person plays."""
        self._left.set()
        people = sum(seat["kind"] == "human" for seat in self.game["seats"])
        if self._host is not None and people == 1 and not self.is_over:
            self._host.abandon()
