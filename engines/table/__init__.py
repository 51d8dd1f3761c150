"""A hosted game: seats, moves, what is told to whom, the journal, and the record that replays it."""
