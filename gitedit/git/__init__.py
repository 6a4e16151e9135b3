"""Git through its own plumbing. Knows no edits."""
