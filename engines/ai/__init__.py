"""AI players: what they may know, their search, their decisions, value networks."""
