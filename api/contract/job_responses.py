"""Response schemas of jobs (hints, reviews, arenas), as JSON Schema."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from api.contract.shared_schemas import (
    FRACTION,
    ID,
    JOB_STATUS,
    LABEL,
    LEVEL,
    OPTIONS,
    RULESET,
    SEAT,
    VERSION,
    ref,
    token,
)
from engines.analysis.review import LOSS_BOUNDS, MISTAKE_CLASSES
from engines.core.schemas import COUNT, TEXT, constant, many, maybe, one_of, shape
from engines.core.types import Json

MISTAKE_KINDS_DESCRIPTION: Final = "; ".join(
    [f"`{kind}`: less than {bound} lost" for kind, bound in LOSS_BOUNDS[:-1]]
    + [f"`{kind}`: {bound} or more" for (_, bound), (kind, _) in pairwise(LOSS_BOUNDS[-2:])]
)


def job(kind: str, result: str) -> Mapping[str, Json]:
    """Return the fields of a job whose result is the named component."""
    return {
        "id": ID,
        "kind": constant(kind),
        "status": JOB_STATUS,
        "progress": {**FRACTION, "description": "how much of it is done"},
        "ahead": maybe(COUNT, description="so many jobs are done before it is begun; null once it runs"),
        "result": maybe(ref(result), description="once it has finished"),
        "partial": maybe(ref(result), description="what a running review has judged so far; else null"),
        "problem": maybe(ref("Problem"), description="if it has failed"),
    }


COMPONENTS: Final[Mapping[str, Json]] = {
    "Hint": shape(
        {
            "version": VERSION,
            "actions": many(ref("Weighed"), description="best first"),
            "why": {"type": "string", "description": "one sentence on the best of them, in the reader's language"},
        },
        description="What an AI would do with what the seat knows.",
    ),
    "Weighed": shape(
        {
            "action": maybe(ref("Action"), description="null: wait, and let others act"),
            "text": TEXT,
            "label": LABEL,
            "value": {**FRACTION, "description": "the estimated chance to win"},
            "visits": {
                **COUNT,
                "description": "so many imagined games it rests on; 0: untried, and taken to be a little worse",
            },
        },
        description="An action, and what the AI thinks of it.",
    ),
    "Review": shape(
        {
            "seat": SEAT,
            "level": {**LEVEL, "description": "whose opinion it is"},
            "accuracy": maybe(FRACTION, description="how well it decided; null: it never had a choice"),
            "decisions": many(ref("Decision"), description="each action that the seat took, in order"),
        },
        description="Each decision of a seat once more, from what the seat knew then.",
    ),
    "Decision": shape(
        {
            "version": {**VERSION, "description": "the version at which it was decided"},
            "text": {"type": "string", "description": "what was done"},
            "label": LABEL,
            "best": {"type": "string", "description": "what the AI would have done"},
            "best_label": LABEL,
            "chance": maybe(FRACTION, description="the estimated chance to win with what was done; null: no choice"),
            "best_chance": maybe(FRACTION, description="with what the AI would have done; null: no choice"),
            "loss": {**FRACTION, "description": "how much of the chance to win was lost"},
            "kind": one_of(MISTAKE_CLASSES, description=MISTAKE_KINDS_DESCRIPTION),
            "why": {"type": "string", "description": "one sentence on the better action, in the reader's language"},
        },
        description="A decision, and what the AI thinks of it.",
    ),
    "ArenaResult": shape(
        {
            "ruleset": RULESET,
            "options": OPTIONS,
            "seed": TEXT,
            "games": {**COUNT, "description": "so many were played"},
            "seats": many(ref("Rate"), 1, description="in the order of the request"),
            "mean_score": {"type": ["number", "null"], "description": "how far a team came; null among rivals"},
            "outcomes": {
                "type": "object",
                "additionalProperties": COUNT,
                "description": "how often games ended in which way: medals, reasons",
            },
            "turns": shape({"median": COUNT, "p99": COUNT}, description="actions in a game"),
            "seconds": {"type": "number", "minimum": 0, "description": "from the request to the end"},
        },
        description="What came of an arena.",
    ),
    "Rate": shape(
        {
            "seat": {**SEAT, "description": "whose place in the request it is"},
            "level": LEVEL,
            "wins": COUNT,
            "draws": COUNT,
            "rate": FRACTION,
            "low": {**FRACTION, "description": "where the Wilson 95 % interval begins"},
            "high": {**FRACTION, "description": "where it ends"},
        },
        description="How well one AI of an arena did.",
    ),
    "HintJob": shape(job("hint", "Hint"), description="A hint that was asked for."),
    "ArenaJob": shape(job("arena", "ArenaResult"), description="An arena that was asked for."),
    "ReviewJob": shape(job("review", "Review"), description="A review that was asked for."),
    "Job": {
        "oneOf": [ref("HintJob"), ref("ReviewJob"), ref("ArenaJob")],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {kind: ref(f"{kind.capitalize()}Job")["$ref"] for kind in ("hint", "review", "arena")},
        },
        "description": "The job as it stands.",
    },
    "StartedArena": shape(
        {**job("arena", "ArenaResult"), "job_token": token("rj", "the job's")},
        description="The arena's job, and its token, which is shown here alone.",
    ),
    "StartedReview": shape(
        {**job("review", "Review"), "job_token": token("rj", "the job's, for who sent none")},
        optional=("job_token",),
        description="The review's job; for who sent no token one that looks at it, which is shown here alone.",
    ),
}
