"""Strange characters made harmless: git's C quoting for paths, visible stand-ins for everything a terminal would obey.

`str.isprintable` draws the line: controls, bidi and zero-width formats, odd spaces, unpaired surrogates are not.
"""

_LETTERS = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def c_quoted(path: str, prefix: str = "") -> str:
    """Return `prefix` + `path` as git prints it with `core.quotePath` on: bare, or in double quotes with escapes."""
    name = (prefix + path).encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in name):
        return prefix + path
    return '"' + "".join(_c_escaped(byte) for byte in name) + '"'


def visible(text: str) -> str:
    """Return `text` on one line with nothing in it that a terminal obeys; tabs stay.

    C0 controls become their pictures (CR is a ␍), bytes that are not UTF-8 `<FF>`, all others `<U+202E>`.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\t" else _stand_in(ord(char)) for char in text)


def shown_path(path: str) -> str:
    """Return a path for people: as it is where it is plain and printable, else in git's quotes."""
    plain = path.isprintable() and not any(char in '"\\' for char in path) and path.strip() == path
    if plain:
        return path
    quoted = "".join(
        _c_escaped(ord(char)) if char in '"\\' else char if char.isprintable() else _c_bytes(char) for char in path
    )
    return f'"{quoted}"'


def _c_bytes(char: str) -> str:
    return "".join(_c_escaped(byte) for byte in char.encode("utf-8", "surrogateescape"))


def _c_escaped(byte: int) -> str:
    if byte in _LETTERS:
        return "\\" + _LETTERS[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _stand_in(point: int) -> str:
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "\u2421"
    return f"<{point - 0xDC00:02X}>" if 0xDC80 <= point <= 0xDCFF else f"<U+{point:04X}>"
