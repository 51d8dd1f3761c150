"""Whole games written out, compared exactly: whatever changes in an engine shows here.

``python -m tests.engines.golden`` writes them again, when a change is meant.
"""
