"""Routes of arenas: games of AIs against AIs, to compare their strength."""

import secrets

from flask import Response

from api.contract import examples, requests
from api.contract.level_names import check_level
from api.contract.shared_schemas import ref
from api.http import auth
from api.http.current_request import requesting_network
from api.http.request_io import Blueprint
from api.http.services import services
from api.problems.documents import BODY_CODES, STORE_CODES
from api.problems.errors import Invalid
from api.resources.job_json import LOCATION_HEADER, accepted
from engines import RULESETS
from engines.analysis.arena import Arena
from engines.core.phrase import Phrase, listed
from engines.core.types import Json
from workers.background import arena as arenas
from workers.storage.concurrent_work_limits import client_hash
from workers.storage.tokens import digest

blp = Blueprint("arenas", __name__, url_prefix="/v1/arenas", description="AIs against AIs.")

SEED_BYTES = 8


@blp.route("", methods=["POST"])
@blp.doc(operationId="startArena", security=[])
@blp.arguments(requests.ArenaIn, example=examples.ARENA_REQUEST)
@blp.response(202, ref("StartedArena"), headers=LOCATION_HEADER, example=examples.QUEUED_ARENA_JOB)
@blp.refuses(*BODY_CODES, "bad_options", "too_many_jobs", *STORE_CODES)
def start(body: Json) -> Response:
    """Start an arena: many games of AIs against AIs.

    The response is a job, and only this response shows the `job_token` that reads the job. Equal seeds give equal
    games, because AIs always use all of their level's iterations here, however long that takes. Each address may have a
    limited number of arenas at a time. Arenas run when no game waits for an AI, and clients take turns.
    """
    store, job_id, arena, client = (
        services().store,
        services().store.keys.new_id(),
        _arena(body),
        client_hash(requesting_network()),
    )
    store.concurrent_work_limits.admit_arena(client, job_id, services().settings.limit_arenas)
    token = auth.new_job_token(job_id)
    task = arenas.create_task(store, arena, job_id, digest(token), client)
    return accepted(task, job_token=token)


def _arena(body: Json) -> Arena:
    """Return the arena of *body*. Raises ``Invalid``, ``BadOptions``."""
    ruleset, seats = RULESETS[body["ruleset"]], body["seats"]
    if len(seats) not in ruleset.player_counts:
        counts = listed(ruleset.player_counts)
        complaint = Phrase(
            "{game} has {counts} seats, not {count}.", game=ruleset.title, counts=counts, count=len(seats)
        )
        raise Invalid({"seats": [complaint]})
    for number, level in enumerate(seats):
        check_level(ruleset, level, f"seats.{number}")
    options = ruleset.filled_options(len(seats), body["options"])
    seed = secrets.token_hex(SEED_BYTES) if body["seed"] is None else body["seed"]
    return Arena(ruleset.name, tuple(seats), body["games"], options, seed)
