"""One module per resource; its routes translate between HTTP and ``workers`` and decide nothing."""
