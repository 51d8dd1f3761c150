"""The processes of a house: the embedded server, supervision, logs."""
