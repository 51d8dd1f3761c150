"""Seating a person: in a new game with AIs, or at a seat that a link offers."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from api.commands.command_base import InvalidInput
from api.commands.play.game_presenter import GamePresenter
from api.commands.play.personal_rating import Results, Standing, standing_of
from engines.core.phrase import Translator
from regicide_client import Player, RegicideClient

INVITE_PREFIX: Final = "ri_"
LINK_FRAGMENT_PATTERN: Final = re.compile(r"([\w-]+)\.([\w-]+)")
"""The fragment of a link: the game's id, and an invite or a seat's token."""


@dataclass(frozen=True)
class Wishes:
    """The game that a person wants. None for ``ruleset``, ``players`` or ``level`` means the default."""

    name: str
    ruleset: str | None = None
    players: int | None = None
    level: str | None = None


@dataclass(frozen=True)
class Link:
    """A link to a game: the server's address, the game's id, and an invite or the token of a seat."""

    url: str
    game: str
    secret: str

    @classmethod
    def of(cls, text: str) -> "Link":
        """Parse a link from the server. Raises ``InvalidInput``."""
        parts = urlsplit(text.strip())
        found = LINK_FRAGMENT_PATTERN.fullmatch(parts.fragment)
        if not parts.netloc or found is None:
            raise InvalidInput("This is no link to a seat: it looks like http://HOST/play#GAME.INVITE.")
        return cls(f"{parts.scheme}://{parts.netloc}", found[1], found[2])


def sit_down(server: RegicideClient, wishes: Wishes, results: Results, translate: Translator) -> GamePresenter:
    """Create a game with AIs and return this person's seat. Raises ``ProblemError``."""
    known = server.rulesets()
    name = wishes.ruleset or known[0]["name"]
    ruleset = next((one for one in known if one["name"] == name), None)
    if ruleset is None:
        raise InvalidInput(f"This server has no game {name!r}: it has {', '.join(one['name'] for one in known)}.")
    players = wishes.players or (2 if 2 in ruleset["players"] else ruleset["players"][0])
    if players not in ruleset["players"]:
        raise InvalidInput(f"{ruleset['title']} is for {', '.join(map(str, ruleset['players']))} players.")
    scale = ruleset["scale"]
    offered = standing_of(scale, results.rated(name)).level if scale else ruleset["levels"][0]
    level = wishes.level or offered
    seats = [{"kind": "human", "name": wishes.name}, *[{"kind": "ai", "level": level}] * (players - 1)]
    created = server.create(name, seats, listed=False)
    return GamePresenter(created.players[0], created.host, translate)


def join(server: RegicideClient, link: Link, name: str, translate: Translator) -> GamePresenter:
    """Take the seat that a link offers. Raises ``ProblemError``."""
    if link.secret.startswith(INVITE_PREFIX):
        return GamePresenter(server.join(link.game, name, invite=link.secret), None, translate)
    return GamePresenter(Player(server, link.game, link.secret), None, translate)


def standing(server: RegicideClient, ruleset: str, results: Results) -> Standing | None:
    """Return this person's rating and the level to offer. Return None if a level has no rating."""
    scale = server.ruleset(ruleset)["scale"]
    return standing_of(scale, results.rated(ruleset)) if scale else None
