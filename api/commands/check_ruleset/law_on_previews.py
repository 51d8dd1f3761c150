"""Law 7 for previews: a foreseen effect is the same in all worlds that look alike to a seat, and it happens.

A world is a position that fits what a seat knows. A preview is ``certain`` if it lists all that will happen.
"""

from random import Random

from api.commands.check_ruleset.generated_games import LawBroken
from api.commands.check_ruleset.laws import require_equal
from engines.core.dealer import SeededDealer
from engines.core.types import Json
from engines.ruleset import Event, Position, Ruleset, step
from engines.table.preview import Preview, preview


def law_7_previews_come_true(ruleset: Ruleset, position: Position, seat: int, rng: Random) -> set[bool]:
    """Up to three random actions of *seat* have their foreseen effects, here and in a world sampled from the view.

    Return the set of the values of ``certain`` in the previews.
    """
    found, legal, view = set[bool](), position.legal(seat), position.view(seat)
    worlds = [position, ruleset.imagine(view, Random(rng.random()))] if legal else []
    for action in rng.sample(legal, min(3, len(legal))):
        said, foreseen = f"seat {seat}, {action}", preview(ruleset, view, seat, action)
        again = preview(ruleset, view, seat, action, str(rng.random()))
        sentence = f"{said}: `foreseen` and `determined` list what depends on what the seat doesn't know"
        require_equal(_told(foreseen, seat), _told(again, seat), sentence)
        require_equal(foreseen.certain, again.certain, f"{said}: whether the preview is certain depends on it too")
        for world in worlds:
            require_equal(view, world.view(seat), f"{said}: a world that looks otherwise")
            _, happened = step(world, seat, action, SeededDealer(str(rng.random())))
            _hold(foreseen, happened, seat, said)
        found.add(foreseen.certain)
    return found


def _hold(foreseen: Preview, happened: list[Event], seat: int, said: str) -> None:
    """All foreseen events happen, in order and with the same fields. If the preview is certain, no others happen."""
    left, told = _told(foreseen, seat), [event.seen_by(seat) for event in happened]
    if foreseen.certain:
        require_equal(left, told, f"{said}: the preview is certain, and something else happens")
    following = iter([(event.seen_by(seat), event.foretold()) for event in happened])
    if not all(any(event in forms for forms in following) for event in left):
        raise LawBroken(f"{said}: {left} was foreseen, and {told} happened")


def _told(foreseen: Preview, seat: int) -> list[Json]:
    """Return the events of a preview as a seat receives them."""
    return [event.seen_by(seat) for event in foreseen.events]
