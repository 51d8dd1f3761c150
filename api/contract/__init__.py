"""The HTTP contract: what may be sent, what is answered, and how ``openapi.yaml`` says it."""
