"""Play a game of Regicide through the client that openapi-python-client writes: ``python play.py URL``."""

import sys
from typing import TypeVar

from regicide_http import AuthenticatedClient, Client
from regicide_http.api.actions import act, list_actions
from regicide_http.api.events import list_events
from regicide_http.api.games import create_game, get_game
from regicide_http.models import (
    Actions,
    ActResponse400,
    CreatedGame,
    Events,
    Game,
    GameStatus,
    RegicideAiSeatIn,
    RegicideAiSeatInLevel,
    RegicideGameIn,
    RegicideHumanSeatIn,
    RegicideOutcome,
    RegicideRecordedEndedEvent,
    RegicideRecordedPlayedEvent,
    TextAction,
    Turn,
)

Answer = TypeVar("Answer")


def expect(kind: type[Answer], answer: object) -> Answer:
    """Return an answer that is of that kind; end if it isn't."""
    if not isinstance(answer, kind):
        sys.exit(f"Not {kind.__name__}, but {answer}")
    return answer


def create(url: str) -> CreatedGame:
    """Set up a game for Ana and an AI."""
    seats: list[RegicideHumanSeatIn | RegicideAiSeatIn] = [
        RegicideHumanSeatIn(kind="human", name="Ana"),
        RegicideAiSeatIn(kind="ai", level=RegicideAiSeatInLevel.NOVICE),
    ]
    with Client(url) as anybody:
        body = RegicideGameIn(ruleset="regicide", seats=[*seats])
        return expect(CreatedGame, create_game.sync(client=anybody, body=body))


def play(ana: AuthenticatedClient, game_id: str) -> Game:
    """Take the first legal action whenever it is Ana's turn; return the game as it ended."""
    game = expect(Game, get_game.sync(game_id, client=ana))
    while game.status == GameStatus.ACTIVE:
        if 0 in game.to_act:
            legal = expect(Actions, list_actions.sync(game_id, client=ana))
            expect(Turn, act.sync(game_id, client=ana, body=legal.actions[0].action))
        game = expect(Game, get_game.sync(game_id, client=ana, wait=25, if_none_match=f'"{game.version}"'))
    return game


def main(url: str) -> None:
    """Play, and tell how it went."""
    created = create(url)
    with AuthenticatedClient(url, token=created.tokens["0"]) as ana:
        refused = expect(ActResponse400, act.sync(created.id, client=ana, body=TextAction(text="play 1Z")))
        ended = play(ana, created.id)
        events = expect(Events, list_events.sync(created.id, client=ana)).events
    cards = [card.name for event in events if isinstance(event, RegicideRecordedPlayedEvent) for card in event.cards]
    last = expect(RegicideRecordedEndedEvent, events[-1])
    result = expect(RegicideOutcome, ended.outcome).result.value
    print(f"refused: {refused.code}; {result} at version {last.version} of {ended.version}; played {' '.join(cards)}")


main(sys.argv[1])
