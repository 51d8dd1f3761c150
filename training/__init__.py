"""Training of the value networks, by self-play of greedy players and by games of teachers."""
