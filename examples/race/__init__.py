"""Race, the smallest ruleset."""
