"""Percent-encoding: the one form in which a path, agent or session stands in a record and in every digest.

Without it one path that holds a newline has the same delta as two paths.
"""

_PATH_SAFE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/+@=,-~"
_PATH_TABLE = tuple(chr(byte) if byte in _PATH_SAFE else f"%{byte:02X}" for byte in range(256))
_VALUE_TABLE = tuple(":" if byte == ord(":") else text for byte, text in enumerate(_PATH_TABLE))


def encode_path(path: str) -> str:
    """Return `path` (surrogate-escaped) with every byte outside `A-Za-z0-9._/+@=,-~` as `%XX`."""
    raw = path.encode("utf-8", "surrogateescape")
    return "".join(map(_PATH_TABLE.__getitem__, raw)) if raw.translate(None, _PATH_SAFE) else path


def decode_path(text: str) -> str | None:
    """Return the path that encodes to exactly `text`, or None: each path has one spelling."""
    path = decode_value(text)
    return path if path and encode_path(path) == text else None


def encode_value(value: str) -> str:
    """Return a token's value: as a path, but `:` stays, so that `agent=Claude:claude-opus-4` can be read."""
    return "".join(map(_VALUE_TABLE.__getitem__, value.encode("utf-8", "surrogateescape")))


def decode_value(text: str) -> str:
    """Return `text` with its `%XX` decoded; a `%` that begins none stays (values of newer versions may hold one)."""
    head, *parts = text.split("%")
    raw = [head.encode("utf-8", "surrogateescape")]
    for part in parts:
        code, rest = part[:2], part[2:]
        if len(code) == 2 and not code.strip("0123456789ABCDEF"):
            raw += bytes((int(code, 16),)), rest.encode("utf-8", "surrogateescape")
        else:
            raw += b"%", part.encode("utf-8", "surrogateescape")
    return b"".join(raw).decode("utf-8", "surrogateescape")


def shown_path(path: str) -> str:
    """Return `path` for people: what does not print (controls, bidi marks, stray bytes) as `%XX`, the rest as it is."""
    if path.isprintable():
        return path
    return "".join(c if c.isprintable() else _encoded(c) for c in path)


def _encoded(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))
