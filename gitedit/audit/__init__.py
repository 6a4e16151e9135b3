"""Judge recorded commits from git objects alone."""
