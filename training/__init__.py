"""Training of the value networks: greedy players play themselves, and a network learns how their games ended."""
