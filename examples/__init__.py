"""Examples: a ruleset, and a player of one's own."""
