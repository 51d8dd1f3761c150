"""Games as a released version stored them: every later version must be able to play them again.

``python -m tests.workers.golden NAME`` adds a file of the games that this version stores, for a new format. What is
there stays as it is.
"""
