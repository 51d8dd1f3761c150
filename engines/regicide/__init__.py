"""Regicide, the cooperative card game for one to four players (rulings R1-R23)."""
