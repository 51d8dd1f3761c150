"""Whole stores with games under way, as each version left them: every later version plays on, or refuses them at start.

``python -m tests.workers.golden.stores CHECKOUT`` lets another checkout serve, and writes what it leaves.
"""
