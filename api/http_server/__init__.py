"""The web server: HTTP/1.1 on an event loop, with Flask in its greenlets; deadlines and shares for whoever connects.

It parses with httptools (the parser of Node), on uvloop. Requests are looked at when their head is there, before the
body is: what is refused anyway is never kept in memory. TLS and HTTP/2 are for a proxy before it.
"""
