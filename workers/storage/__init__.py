"""What is stored, and how: games, tasks, idempotency keys, budgets, the queue."""
