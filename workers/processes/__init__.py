"""Operating-system processes: those that ``regicide serve`` starts and supervises.

``redis_server``  the embedded Redis-compatible server; ``backups``: backups of its data ``store_folder``  its data
folder; ``store_damage``: detection and repair of damage; ``writes_file``: its append-only file ``supervisor``    child
processes that are restarted when they die ``forking``       forked processes that end when their parent dies
``compilation``   compiles the engines in the background ``logs``          JSON lines on standard error
"""
