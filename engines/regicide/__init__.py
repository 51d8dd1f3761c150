"""Regicide, the cooperative card game for one to four (rulings R1-R23)."""
