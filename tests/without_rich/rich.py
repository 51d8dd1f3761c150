"""In place of ``rich``."""

raise ModuleNotFoundError("rich is hidden from servers that tests start", name="rich")
