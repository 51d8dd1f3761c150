"""AI players: their observations, searches and decisions, and value networks."""
