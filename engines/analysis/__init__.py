"""What AIs are used for apart from playing: hints, reviews, arenas."""
