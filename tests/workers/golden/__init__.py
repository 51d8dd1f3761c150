"""Games as they were stored once, by layout: every later version must be able to play them again.

``python -m tests.workers.golden layout-3`` writes the games that are stored now, for a new format. What is there stays
as it is.
"""
