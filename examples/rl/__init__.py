"""Learning with the environments of ``regicide_rl``: see `docs/rl.md`."""
