"""Routes of health, metrics, the contract and explanations of problems."""

from typing import Final

from flask import Response
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from api.contract.operation_additions import NOT_MODIFIED
from api.contract.shared_schemas import ref
from api.http.compression import compress_static
from api.http.overload import run_exclusively_in_thread
from api.http.request_io import Blueprint, json_response, run_in_thread
from api.http.services import services
from api.language import in_language, negotiated_language, translator
from api.problems import documents
from api.problems.errors import NotReady
from workers import readiness

METRICS: Final = """\
# TYPE regicide_streams gauge
regicide_streams 12.0
"""
"""Example of the response of ``/metrics``."""

blp = Blueprint("server", __name__, description="Health, the contract, and what the problems mean.")


@blp.route("/healthz")
@blp.doc(operationId="healthz", security=[])
@blp.response(200, ref("Alive"), example={"status": "ok"})
def alive() -> Response:
    """Answer while the web server runs.

    The answer depends on no other process. It is for a supervisor that restarts a hanging process.
    """
    return json_response({"status": "ok"})


@blp.route("/readyz")
@blp.doc(operationId="readyz", security=[])
@blp.response(200, ref("Ready"), example={"storage": True, "durable": True, "worker": True, "reasons": []})
@blp.refuses("storage_unavailable", "no_worker")
def ready() -> Response:
    """Answer whether the store accepts games and a worker runs. `reasons` lists all problems.

    For a load balancer, 503 means that games can't be stored (`storage_unavailable`) or that no AI would move
    (`no_worker`). The codes of other problems are listed with either status, for operators: `not_durable`, `evicting`
    (the store may lose games, and `durable` is false), `no_spare_replica` (the failure of one store server would stop
    all moves), `disk_nearly_full` (the store's disk), `queue_unavailable` (the queue's server), `unreadable_games`
    (some workers can't read some games), `behind` (AIs are late).
    """
    reasons = services().readiness.result()
    codes = {reason.code for reason in reasons}
    if codes & set(readiness.STOPPING_CODES):
        raise NotReady(reasons)
    translate = translator(negotiated_language())
    listed = [reason.as_json(translate) for reason in reasons]
    durable = not codes & {"not_durable", "evicting"}
    return in_language(json_response({"storage": True, "durable": durable, "worker": True, "reasons": listed}))


@blp.route("/metrics")
@blp.doc(operationId="metrics", security=[])
@blp.response(200, {"type": "string"}, content_type="text/plain", example=METRICS)
@blp.refuses(*documents.STORE_CODES)
@run_exclusively_in_thread
def metrics() -> Response:
    """Show the metrics of all web processes and workers, for Prometheus.

    The format is Prometheus's text format. The values are sums over all processes, whichever process answers.
    """
    return Response(services().ledger.render(), content_type=CONTENT_TYPE_PLAIN_0_0_4)


@blp.route("/problems/<code>")
@blp.doc(operationId="explainProblem", security=[])
@blp.response(200, ref("Explanation"), example=documents.explain("stale_version"))
@blp.refuses("not_found")
def explain(code: str) -> Response:
    """Explain a problem code in the reader's language. The address of this page is the problem's `type`.

    The explanation says what the code means and what to do.
    """
    return in_language(json_response(documents.explain(code, translator(negotiated_language()))))


@blp.route("/openapi.yaml")
@blp.doc(operationId="getContract", security=[], responses=NOT_MODIFIED)
@blp.response(200, {"type": "string"}, content_type="application/yaml", example="openapi: 3.1.1\n")
@run_in_thread
def openapi() -> Response:
    """Show this contract.

    OpenAPI 3.1, as YAML.
    """
    return compress_static(Response(services().contract(), mimetype="application/yaml"))
