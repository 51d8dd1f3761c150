"""Processes of the operating system: what ``regicide serve`` starts and watches.

``redis_server``  a Redis-compatible server of our own; ``backups``: copies of all that it keeps
``supervisor``    children that are started again when they die
``forkserver``    forks the workers from one process that has imported what they need
``compilation``   compiles the engines in the background
``logs``          one JSON object per line, whichever process writes it
"""
