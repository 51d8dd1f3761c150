"""What worker processes do: AIs' turns, hints, arenas, and the sweeper that looks after all of them."""
