"""The web server: HTTP/1.1 on an asyncio event loop. Each request runs the Flask application in a greenlet.

Limits on time, bytes and connections apply per client. A request is checked before its body is received, and the body
of a refused request is discarded. TLS and HTTP/2 are left to a proxy.
"""
