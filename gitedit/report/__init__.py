"""Facts to text, JSON and other formats. Pure."""
