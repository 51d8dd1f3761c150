"""A hosted game: seats, versions, journal, record, replay, and its texts."""
