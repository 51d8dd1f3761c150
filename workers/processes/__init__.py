"""Operating-system processes that ``regicide serve`` starts and supervises.

``redis_server``                  the embedded Redis-compatible server; ``backups``: backups of its data
``store_folder``, ``store_damage``  its data folder; detection and repair of damage
``append_only_file_scan``         its append-only file: how far it is intact
``supervisor``                    child processes that are restarted when they die
``child_forking``                 forked processes, which end with their parent
``engine_compilation``, ``logs``  compiles the engines in the background; JSON lines on standard error
"""
