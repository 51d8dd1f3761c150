"""The ``regicide`` command and its subcommands: serve, worker, demo, arena, bot, store, records."""
