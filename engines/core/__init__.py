"""What every game is written with and nothing of any game: cards, dealing, errors, phrases, JSON schemas."""
