"""Race, a game for Regicide's server."""
