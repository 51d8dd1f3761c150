"""Health, metrics, the contract and the explanations of problems."""

from typing import Final

from flask import Response
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from api.contract.operations import UNCHANGED
from api.contract.terms import ref
from api.http.compression import unchanging
from api.http.overload import run_exclusively_in_thread
from api.http.request_io import Blueprint, answer, aside
from api.http.services import services
from api.language import in_language, tongue, wanted
from api.problems import documents
from api.problems.errors import NotReady
from workers import readiness

METRICS: Final = """\
# TYPE regicide_streams gauge
regicide_streams 12.0
"""
"""How an answer of ``/metrics`` looks."""

blp = Blueprint("server", __name__, description="Health, the contract, and what the problems mean.")


@blp.route("/healthz")
@blp.doc(operationId="healthz", security=[])
@blp.response(200, ref("Alive"), example={"status": "ok"})
def alive() -> Response:
    """Say that the web server lives.

    It asks nobody else: for a supervisor that restarts what hangs.
    """
    return answer({"status": "ok"})


@blp.route("/readyz")
@blp.doc(operationId="readyz", security=[])
@blp.response(200, ref("Ready"), example={"storage": True, "durable": True, "worker": True, "reasons": []})
@blp.refuses("storage_unavailable", "no_worker")
def ready() -> Response:
    """Say whether the storage takes games and a worker lives, and list in `reasons` all that is wrong.

    For a load balancer: 503 means that games couldn't be kept (`storage_unavailable`), or that no AI would move
    (`no_worker`). Whatever else is wrong is listed in an answer of either status, for who watches over the server: the
    storage may lose games (`not_durable`, `evicting`; then `durable` is false), the death of one of its servers would
    stop all moves (`no_spare_replica`), its disk is nearly full (`disk_nearly_full`), the queue's server is away
    (`queue_unavailable`), games are there that some workers can't read (`unreadable_games`), AIs are behind (`behind`).
    """
    reasons = services().readiness.result()
    codes = {reason.code for reason in reasons}
    if codes & set(readiness.STOPS):
        raise NotReady(reasons)
    speak = tongue(wanted())
    listed = [reason.as_json(speak) for reason in reasons]
    durable = not codes & {"not_durable", "evicting"}
    return in_language(answer({"storage": True, "durable": durable, "worker": True, "reasons": listed}))


@blp.route("/metrics")
@blp.doc(operationId="metrics", security=[])
@blp.response(200, {"type": "string"}, content_type="text/plain", example=METRICS)
@blp.refuses(*documents.STORED)
@run_exclusively_in_thread
def metrics() -> Response:
    """Show Prometheus what all web servers and workers have counted.

    In its text format. The counts are of all processes together, whichever process is asked.
    """
    return Response(services().ledger.render(), content_type=CONTENT_TYPE_PLAIN_0_0_4)


@blp.route("/problems/<code>")
@blp.doc(operationId="explainProblem", security=[])
@blp.response(200, ref("Explanation"), example=documents.explain("stale_version"))
@blp.refuses("not_found")
def explain(code: str) -> Response:
    """Explain a problem, in the reader's language: the `type` of every problem is this path.

    For people: what the code means, and what would be right.
    """
    return in_language(answer(documents.explain(code, tongue(wanted()))))


@blp.route("/openapi.yaml")
@blp.doc(operationId="getContract", security=[], responses=UNCHANGED)
@blp.response(200, {"type": "string"}, content_type="application/yaml", example="openapi: 3.1.1\n")
@aside
def openapi() -> Response:
    """Show this contract.

    OpenAPI 3.1, as YAML.
    """
    return unchanging(Response(services().contract(), mimetype="application/yaml"))
