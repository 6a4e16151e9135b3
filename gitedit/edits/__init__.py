"""The engine: pure functions on bytes. Knows no git, files or terminals."""
