"""On PYTHONPATH of whatever tests start."""
