"""The HTTP API: it translates between HTTP and ``workers`` and decides nothing about games.

A client creates a game and plays with its tokens, which only that response shows (``docs/http.md``). The header
``Authorization: Bearer <token>`` identifies the client. A seat's token acts for its seat. The host's token starts the
game, hands seats over and abandons the game. Without a token a client watches public games. Every error is an RFC 9457
problem with a stable ``code``.

A request passes ``http.rate_limits``, a route in ``resources``, ``http.auth`` (who sends it), ``contract.requests``
(validation) and ``workers.game_commands`` (the change). ``http.request_io`` writes the response and ``problems`` an
error. ``http.services`` holds the objects that routes work with. The contract is ``/openapi.yaml``.
"""
