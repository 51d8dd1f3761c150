"""Building blocks that know no game: cards, dealing, errors, phrases, JSON schemas."""
