"""Uses of AIs apart from playing: hints, reviews, arenas, puzzles."""
