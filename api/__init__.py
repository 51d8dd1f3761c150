"""The HTTP server: translate, never decide.

A client creates a game, keeps the tokens that the answer alone shows, and plays::

    POST /v1/games {"ruleset": "regicide", "seats": [{"kind": "human"}, {"kind": "ai", "level": "adept"}]}
    GET  /v1/games/{id}            the game as your seat sees it; ETag is its version
    GET  /v1/games/{id}/actions    everything that you may do now
    POST /v1/games/{id}/actions    {"text": "play 5C"}: do it
    GET  /v1/games/{id}/events     what happened, the AIs' moves too
    GET  /v1/games/{id}/stream     the same, live

Who asks is said by ``Authorization: Bearer <token>``: a seat's token acts for that seat, the host's starts, hands over
and abandons, and nobody's may watch what everybody may know. Every error is an RFC 9457 problem with a stable ``code``.
The whole contract is ``/openapi.yaml``, a tour of it ``docs/http.md``; ``regicide_client`` speaks it in Python.

Inside, a request is counted against the client's budget (``limits``) and goes from a route (``resources``, a module for
each) through ``auth`` (who), ``contract.requests`` (is it readable) and ``workers.turns`` (let it happen) to an answer
written by ``wire``, or to a problem written by ``problems``. What a route works with is in ``services``.
"""
