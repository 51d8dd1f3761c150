"""Tests of the training of value networks."""
