"""``regicide tournament``: levels and programs play each other on this machine, without a server."""
