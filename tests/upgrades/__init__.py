"""Two versions on one store while games are played: ``python -m tests.upgrades`` says how."""
