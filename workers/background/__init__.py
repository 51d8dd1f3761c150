"""Worker processes and what they do.

``pool``            starts the workers and replaces those that die; ``sweeper``: enqueues again what was lost
``worker``          takes jobs from a queue, and has the table of all jobs; ``jobs``: what all of them have in common
``ai_turns``        plays the turns of AIs
``hints``, ``arena``  do the tasks that clients ask for
``watch``           stops a search whose result isn't wanted any more
"""
