"""A small client of the server, for Python programs."""
