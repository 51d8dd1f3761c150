"""The Gridcannon variant, a game of royal families under fire for two or four (rulings G1-G23)."""
