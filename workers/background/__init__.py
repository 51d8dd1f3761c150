"""Worker processes and their jobs.

``worker_processes``               starts the workers and replaces those that die
``sweeper``                        enqueues lost jobs again
``worker``                         takes jobs from a queue and runs them
``fair_queue_worker``              takes jobs that no person waits for, and runs them
``job_base``                       what all jobs share
``ai_turns``                       plays the turns of AIs
``hints``, ``reviews``, ``arena``  run the tasks of clients
``stop_check``                     stops a search whose result is no longer wanted
"""
