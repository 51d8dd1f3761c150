"""The HTTP API: it translates between HTTP and ``workers``; it decides nothing about games.

A client creates a game, keeps the tokens shown in that response only, and plays (``docs/http.md``). Who acts is given
by ``Authorization: Bearer <token>``: a seat's token acts for its seat; the host's starts the game, hands seats over and
abandons it; without a token a client watches public games. Every error is an RFC 9457 problem with a stable ``code``.

A request passes ``http.rate_limits``, a route in ``resources``, ``http.auth`` (who), ``contract.requests`` (validation)
and ``workers.game_commands`` (the change). ``http.request_io`` writes the response and ``problems`` an error.
``http.services`` holds what a route works with. The contract is ``/openapi.yaml``.
"""
