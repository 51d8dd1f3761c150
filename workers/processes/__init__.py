"""Operating-system processes that ``regicide serve`` starts and supervises.

``redis_server``           the embedded Redis-compatible server
``store_folder``           the data folder of the embedded server
``lock_holders``           the processes that hold the lock of that folder
``store_damage``           detection and repair of damage in the data folder
``append_only_file_scan``  how far the embedded server's append-only file is intact
``backups``                backups of the embedded server's data
``supervisor``             child processes that are restarted when they die
``child_forking``          forked processes, which end with their parent
``engine_compilation``     compiles the engines in the background
``logs``                   JSON lines on standard error
"""
