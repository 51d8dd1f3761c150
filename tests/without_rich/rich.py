"""In place of ``rich``, for whatever tests start: it comes with our tools, people who serve don't have it.

structlog would import it in each process of a server, for tracebacks that nobody prints: a tenth of each start.
"""

raise ModuleNotFoundError("rich is hidden from what tests start", name="rich")
