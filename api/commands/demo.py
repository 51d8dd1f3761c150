"""``regicide demo``: one game, played over HTTP by a scripted client and AIs, printed turn by turn.

The client has no special rights. It asks for a hint at each of its turns and follows the hint.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from api.commands.running_or_temporary_server import STARTING_SERVER_PHRASE, open_client, running_or_temporary_server
from api.language import translator
from engines import RULESETS
from engines.core.phrase import Phrase, Translator
from engines.ruleset import Ruleset
from regicide_client import Player, ProblemError
from regicide_client.types import Game, Json, Seat
from workers.settings import Settings

PLAYER_NAME: Final = "Ana"
AI_LEVEL: Final = "expert"
TURN_TIMEOUT_SECONDS: Final = 60.0
"""Seconds without a turn after which the demo fails. AIs move within a second."""

CONFLICT_CODES: Final = ("game_over", "not_your_turn", "stale_version")
"""Codes of refusals that mean that another player acted first."""

Echo = Callable[[str], None]


@dataclass(frozen=True)
class DemoOptions:
    """Game and language of a demo."""

    ruleset: str
    players: int
    seed: str
    language: str


def demo(settings: Settings, show: DemoOptions, say: Echo) -> Game:
    """Play one game to its end, on the server of *settings* or a temporary one. Return the game."""
    translate = translator(show.language)

    def starts() -> None:
        say(STARTING_SERVER_PHRASE.render(translate))

    with running_or_temporary_server(settings, starts) as url, open_client(url, show.language) as server:
        seats = [{"kind": "human", "name": PLAYER_NAME}, *[{"kind": "ai", "level": AI_LEVEL}] * (show.players - 1)]
        created = server.create(show.ruleset, seats, client_seed=show.seed)
        ruleset = RULESETS[show.ruleset]
        frame = Phrase(
            "Game {id}: {title} for {players}, {url}",
            id=created.game["id"],
            title=ruleset.title,
            players=show.players,
            url=url,
        )
        say(frame.render(translate))
        say(", ".join(_name(seat).render(translate) for seat in created.game["seats"]))
        return _play(created.players[0], ruleset, translate, say)


def _play(player: Player, ruleset: Ruleset, translate: Translator, say: Echo) -> Game:
    """Print the events and play each turn of this player, until the game has ended."""
    printed = -1
    while True:
        game = player.wait_for_turn(TURN_TIMEOUT_SECONDS)
        # later events are printed in the next iteration
        events = [event for event in player.events(after=printed) if event["version"] <= game["version"]]
        for event in events:
            _print(event, ruleset, say)
        is_news = printed < 0 or len(game["seats"]) == 1 or any(_is_anothers(event, game["you"]) for event in events)
        printed = game["version"]
        view = game["view"]
        if game["status"] != "active" or view is None:
            return game
        if is_news:
            say("\n" + _table_text(game, ruleset, translate) + "\n")
        try:
            _move(player, game["version"], say)
        except ProblemError as problem:
            if problem.code not in CONFLICT_CODES:
                raise  # after a conflict (another player acted first) the loop loads the game again instead


def _table_text(game: Game, ruleset: Ruleset, translate: Translator) -> str:
    """Return the table as the player sees it, with the players' names."""

    def name(seat: int) -> str:
        return game["seats"][seat].get("name") or str(seat)

    return "\n".join([line.render(translate).rstrip() for line in ruleset.picture(game["view"] or {}, name)])


def _move(player: Player, version: int, say: Echo) -> None:
    """Ask for a hint, print it with the chance to win, and play it. Raises ``ProblemError``."""
    job = player.hint(AI_LEVEL).wait(TURN_TIMEOUT_SECONDS)
    result = job.get("result")
    if result is None:
        return  # the game has changed meanwhile
    best = next(action for action in result["actions"] if action["action"] is not None)
    say(f"      -> {best['label']} ({best['value']:.0%})")
    player.act(best["text"], expected=version)


def _is_anothers(event: Json, own: int | None) -> bool:
    return event.get("seat") not in (None, own)


def _name(seat: Seat) -> Phrase:
    """Return the name of a seat's player, with an AI's level."""
    if "level" in seat:
        return Phrase("{name} ({level})", name=seat.get("name"), level=seat["level"])
    return Phrase("{name} (you: plays by hints)", name=seat.get("name"))


def _print(event: Json, ruleset: Ruleset, say: Echo) -> None:
    if event["type"] not in ruleset.unspoken:
        say(f"{event['version']:>4}  {event['text']}")
