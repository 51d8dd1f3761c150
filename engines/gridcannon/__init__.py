"""The Gridcannon variant, a game of royal families under fire for two or four players (rulings G1-G23)."""
