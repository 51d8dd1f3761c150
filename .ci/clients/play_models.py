"""Play a game of Regicide through the models that datamodel-code-generator writes: ``python play_models.py URL``."""

import sys

import httpx
from models import (
    Actions,
    CreatedGame,
    Events,
    Game,
    GameStatus,
    Problem,
    RegicideGameIn,
    RegicideOutcome,
    RegicideRecordedEndedEvent,
    RegicideRecordedPlayedEvent,
    TextAction,
    Turn,
)
from pydantic import BaseModel


def written(body: BaseModel) -> dict[str, object]:
    """Return a body as JSON, without what was left out."""
    return body.model_dump(mode="json", exclude_unset=True)


def create(server: httpx.Client) -> CreatedGame:
    """Set up a game for Ana and an AI."""
    seats = [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "novice"}]
    body = RegicideGameIn.model_validate({"ruleset": "regicide", "seats": seats})
    return CreatedGame.model_validate_json(server.post("/v1/games", json=written(body)).content)


def play(ana: httpx.Client, path: str) -> Game:
    """Take the first legal action, as it is listed, whenever it is Ana's turn; return the game as it ended."""
    game = Game.model_validate_json(ana.get(path).content)
    while game.status == GameStatus.active:
        if 0 in game.to_act:
            first = Actions.model_validate_json(ana.get(f"{path}/actions").content).actions[0]
            turn = Turn.model_validate_json(ana.post(f"{path}/actions", json=written(first)).content)
            if turn.status != GameStatus.active:
                break
        news = ana.get(path, params={"wait": 25}, headers={"If-None-Match": f'"{game.version}"'})
        game = game if news.status_code == httpx.codes.NOT_MODIFIED else Game.model_validate_json(news.content)
    return Game.model_validate_json(ana.get(path).content)


def main(url: str) -> None:
    """Play, and tell how it went."""
    with httpx.Client(base_url=url) as server:
        created = create(server)
    path, headers = f"/v1/games/{created.id}", {"Authorization": f"Bearer {created.tokens['0']}"}
    with httpx.Client(base_url=url, headers=headers, timeout=30) as ana:
        body = TextAction(text="play 1Z")
        refused = Problem.model_validate_json(ana.post(f"{path}/actions", json=written(body)).content)
        ended = play(ana, path)
        told = Events.model_validate_json(ana.get(f"{path}/events").content)
    events = [recorded.root.root for recorded in told.events if hasattr(recorded.root, "root")]
    cards = [card.name for event in events if isinstance(event, RegicideRecordedPlayedEvent) for card in event.cards]
    (last,) = [event for event in events if isinstance(event, RegicideRecordedEndedEvent)]
    outcome = ended.outcome.root if ended.outcome is not None else None
    result = outcome.result.value if isinstance(outcome, RegicideOutcome) else None
    print(
        f"refused: {refused.code.value}; {result} at version {last.version} of {ended.version}; "
        f"played {' '.join(cards)}"
    )


main(sys.argv[1])
