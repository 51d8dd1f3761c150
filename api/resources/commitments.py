"""Commitments: the server commits to a secret seed before a game uses the seed."""

from flask import Response

from api.contract import examples
from api.contract.shared_schemas import ref
from api.http.caching import NO_STORE_CACHE_CONTROL
from api.http.request_io import Blueprint, json_response
from api.http.services import services
from api.problems.documents import STORE_CODES

blp = Blueprint("commitments", __name__, url_prefix="/v1/commitments", description="Seeds that are promised first.")


@blp.route("", methods=["POST"])
@blp.doc(operationId="commitToSeed", security=[])
@blp.response(201, ref("Commitment"), example=examples.COMMITMENT)
@blp.refuses(*STORE_CODES)
def commit() -> Response:
    """Commit the server to a secret seed, before you send your own seed.

    Send the `id` once, within 15 minutes, as the `commitment` of a new game, with a `client_seed` that nobody can
    foresee. The game is dealt with the secret seed. Compare the game's `commitment` with this one: if they are equal,
    the server could not choose your cards.
    """
    promised = services().store.commitments.make()
    return json_response(promised.as_json(), 201, {"Cache-Control": NO_STORE_CACHE_CONTROL})
