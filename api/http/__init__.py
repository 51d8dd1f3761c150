"""HTTP functions shared by all routes: bodies, headers, tokens, caching, compression, rate limits, request log."""
