"""The ``regicide`` command and its subcommands, such as serve, play, arena and tournament."""
