"""The record in a commit message: write it, read it, digest it. Pure."""
