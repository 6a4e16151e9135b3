"""One orchestrator per command, each readable aloud."""
