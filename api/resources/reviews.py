"""Routes of reviews: an AI repeats each decision of a seat, after the game has ended."""

from flask import Response

from api.contract import examples, requests
from api.contract.level_names import check_level
from api.contract.shared_schemas import ref
from api.http import auth
from api.http.auth import Access
from api.http.current_request import requesting_network
from api.http.request_io import Blueprint
from api.http.services import services
from api.problems.documents import BODY_CODES, READ_CODES
from api.problems.errors import Invalid, NotFound, WrongToken
from api.resources.job_json import LOCATION_HEADER, accepted
from engines.core.errors import StillRunning
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table.table import ENDED
from workers.background import reviews
from workers.storage.concurrent_work_limits import client_hash
from workers.storage.tokens import digest

blp = Blueprint("reviews", __name__, url_prefix="/v1/games", description="What could have been done better.")


@blp.route("/<game_id>/reviews", methods=["POST"])
@blp.doc(operationId="startReview")
@auth.any_viewer
@blp.arguments(requests.ReviewIn, examples=examples.REVIEWS_ASKED)
@blp.response(202, ref("StartedReview"), headers=LOCATION_HEADER, example=examples.QUEUED_REVIEW_JOB)
@blp.refuses(*READ_CODES, *BODY_CODES, "not_found", "still_running", "too_many_jobs")
def start(body: Json, access: Access) -> Response:
    """Ask how good a seat's decisions were, after the game has ended.

    The response is a job. An AI repeats every decision of the seat from what the seat knew at that time, never from
    hidden cards. A seat's token reviews its own seat. The host names the seat to review, as does a request without a
    token in a public game. That request gets the `job_token` that reads the job. Equal games have equal reviews. Each
    game may have a limited number of reviews at a time, and clients take turns.
    """
    store, table = services().store, access.table
    if table.status not in ENDED:
        raise StillRunning(Phrase("A game is reviewed when it has ended."))
    check_level(table.ruleset, body["level"])
    asked = reviews.review_parameters(
        table.id, _seat(access, body["seat"]), body["level"], access.seat, client_hash(requesting_network())
    )
    job_id, token = store.keys.new_id(store.keys.partition(table.id)), auth.bearer()
    if token is not None:
        return accepted(reviews.create_task(store, asked, job_id, token.hash))
    made = auth.new_job_token(job_id)
    return accepted(reviews.create_task(store, asked, job_id, digest(made)), job_token=made)


def _seat(access: Access, asked: int | None) -> int:
    """Return the seat to review: the bearer's own seat, or *asked* for a bearer without a seat.

    Raises ``Invalid``, ``NotFound``, ``WrongToken``.
    """
    last = len(access.table.seats) - 1
    if asked is None and access.seat is None:
        raise Invalid({"seat": [Phrase("Say which seat is to be reviewed: 0 to {last}.", last=last)]})
    if asked is None or asked == access.seat:
        return access.own_seat
    if asked > last:
        raise NotFound(Phrase("The table has seats 0 to {last}.", last=last))
    if access.seat is not None:
        raise WrongToken(Phrase("This token reviews its own seat: send another seat's own, or of a public game none."))
    return asked
