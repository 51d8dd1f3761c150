"""One module for each resource: routes that translate, never decide."""
