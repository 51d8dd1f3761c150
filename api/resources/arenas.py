"""Arenas: AIs against AIs, to see how strong they are."""

import secrets

from flask import Response

from api.contract import examples, requests
from api.contract.terms import ref
from api.http import auth
from api.http.client_address import address
from api.http.request_io import Blueprint
from api.http.services import services
from api.problems.documents import BODY, STORED
from api.problems.errors import Invalid
from api.resources.job_resource import LOCATED, accepted
from engines import RULESETS
from engines.analysis.arena import Arena
from engines.core.phrase import Phrase, listed
from engines.core.types import Json
from workers.background import arena as arenas
from workers.storage.active_quota import client_hash
from workers.storage.tokens import digest

blp = Blueprint("arenas", __name__, url_prefix="/v1/arenas", description="AIs against AIs.")

SEED_BYTES = 8


@blp.route("", methods=["POST"])
@blp.doc(operationId="startArena", security=[])
@blp.arguments(requests.ArenaIn, example=examples.ARENA_ASKED)
@blp.response(202, ref("StartedArena"), headers=LOCATED, example=examples.ARENA)
@blp.refuses(*BODY, "bad_options", "too_many_jobs", *STORED)
def start(body: Json) -> Response:
    """Let AIs play each other, many games.

    The answer is a job; it alone shows the `job_token` that looks at it. Equal seeds give equal games: AIs think for
    all of their level's iterations here, and not by the clock. Some may be under way for one address at a time; they
    are played with what time other games leave, and clients take turns.
    """
    store, job_id, arena, client = (
        services().store,
        services().store.keys.new_id(),
        _arena(body),
        client_hash(address()),
    )
    store.active_quota.admit_arena(client, job_id, services().settings.limit_arenas)
    token = auth.new_job_token(job_id)
    task = arenas.begin(store, arena, job_id, digest(token), client)
    return accepted(task, job_token=token)


def _arena(body: Json) -> Arena:
    """Return the arena that *body* describes. Raises ``Invalid``, ``BadOptions``."""
    ruleset, seats = RULESETS[body["ruleset"]], body["seats"]
    if len(seats) not in ruleset.player_counts:
        counts = listed(ruleset.player_counts)
        complaint = Phrase(
            "{game} has {counts} seats, not {count}.", game=ruleset.title, counts=counts, count=len(seats)
        )
        raise Invalid({"seats": [complaint]})
    options = ruleset.check_options(len(seats), body["options"])
    seed = secrets.token_hex(SEED_BYTES) if body["seed"] is None else body["seed"]
    return Arena(ruleset.name, tuple(seats), body["games"], options, seed)
