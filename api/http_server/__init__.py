"""The web server: HTTP/1.1 on an event loop, with Flask in its greenlets; deadlines and shares for whoever connects.

Requests are looked at before their bodies come: what is refused is never kept. TLS and HTTP/2 are for a proxy.
"""
