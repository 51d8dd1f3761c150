"""Servers as most people have them: without ``rich``, which is there for our tools and ``regicide play`` alone.

structlog imports it, where it is, in each process of a server, for tracebacks that nobody prints: a tenth of a start.
"""

import os
from collections.abc import Mapping
from pathlib import Path


def without_rich(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a process from which rich is hidden, if it has a PYTHONPATH; else they are as they were.

    Without one it runs from the checkout alone, which nothing here may change.
    """
    path = environ.get("PYTHONPATH")
    return {**environ, "PYTHONPATH": f"{path}{os.pathsep}{Path(__file__).parent}"} if path else dict(environ)
