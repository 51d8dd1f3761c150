"""One module per resource. Its routes translate between HTTP and ``workers`` and decide nothing."""
