"""Problem responses in the contract, with an example of each code."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from api.contract.shared_schemas import ref
from api.problems.documents import MEDIA_TYPE, PROBLEM_TYPES, document
from engines.core.schemas import one_of
from engines.core.types import Json

PROBLEM_EXAMPLES: Final[Mapping[str, Json]] = {
    code: {"summary": str(kind.title), "value": document({"code": code, "detail": str(kind.explanation)})}
    for code, kind in PROBLEM_TYPES.items()
}


def problem_responses(codes: Iterable[str]) -> dict[int, dict[str, Any]]:
    """Return the documented responses of the problem *codes*, by status, with an example of each code.

    A response is the keyword arguments of flask-smorest's ``alt_response``.
    """
    by_status: defaultdict[int, list[str]] = defaultdict(list)
    for code in sorted(set(codes), key=list(PROBLEM_TYPES).index):
        by_status[PROBLEM_TYPES[code].status].append(code)
    return {
        status: {
            "schema": {"allOf": [ref("Problem"), {"type": "object", "properties": {"code": one_of(alike)}}]},
            "content_type": MEDIA_TYPE,
            "description": " / ".join(str(PROBLEM_TYPES[code].title) for code in alike),
            "examples": {code: {"$ref": f"#/components/examples/{code}"} for code in alike},
        }
        for status, alike in sorted(by_status.items())
    }
