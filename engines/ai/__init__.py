"""How an AI decides: what it may know, the search, its levels, and the values that guide it."""
