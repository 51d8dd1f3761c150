"""An example of a game that is installed beside the server."""
