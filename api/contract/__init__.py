"""The HTTP contract: request schemas, response schemas and the text of ``openapi.yaml``."""
