"""What every route shares of HTTP: bodies and headers, tokens, caching, compression, limits, the log of requests."""
