"""The interface of a game: base classes and defaults. Authors import ``engines.ruleset``."""
