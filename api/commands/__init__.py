"""The ``regicide`` command, and what its subcommands do: serve, play a demo, keep a store, review a record."""
