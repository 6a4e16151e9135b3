"""gitedit: byte-exact edit batches in a git working tree, each committed as exactly its lines, with a record."""

__version__ = "0.1.0"
