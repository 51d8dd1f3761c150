"""What a game must say, and what it gets if it says no more. ``engines.ruleset`` is the door to it for authors."""
