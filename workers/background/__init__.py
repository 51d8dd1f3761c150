"""Worker processes and their jobs.

``worker_processes``            starts the workers and replaces those that die
``sweeper``                     enqueues lost jobs again
``worker``, ``job_base``        take jobs from a queue and run them; what all jobs share
``ai_turns``                    plays the turns of AIs
``hints``, ``reviews``, ``arena``  run the tasks of clients
``stop_check``                  stops a search whose result is no longer wanted
"""
