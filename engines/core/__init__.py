"""Building blocks that don't depend on a game: cards, dealing, errors, phrases, JSON schemas."""
