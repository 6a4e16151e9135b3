"""The command line: flags to requests, results to streams. No logic."""
