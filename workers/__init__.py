"""What happens to a game outside a request: storage, turns, jobs."""
