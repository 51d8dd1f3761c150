"""The HTTP API: it translates between HTTP and ``workers`` and decides nothing about games.

A client that creates or joins a game gets tokens, in that response only (``docs/http.md``). The header ``Authorization:
Bearer <token>`` identifies the client. A seat's token acts for its seat. The host's token starts the game, hands seats
over and abandons the game. Public games can be watched without a token. Every error is an RFC 9457 problem with a
stable ``code``.

A request passes ``http.rate_limits``, a route in ``resources``, ``http.auth`` (the rights), ``contract.requests``
(validation) and ``workers.game_commands`` (the change). ``http.request_io`` writes responses, and ``problems`` writes
errors. ``http.services`` holds the objects that routes work with. The contract is ``/openapi.yaml``.
"""
