"""On which line of a batch file an edit stands: one pass over the JSON text, valid or not. Pure."""

import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
_Place = tuple[int, int | None]
"""(file, edit), counted from 0; None: the file's own object."""


class Lines:
    """The lines of one batch's objects."""

    def __init__(self, text: str) -> None:
        self._places: dict[_Place, int] = {}
        self._first = len(text[: len(text) - len(text.lstrip())].split("\n"))
        path: list[str | int] = []
        line, at, word, is_key = 1, 0, "", False
        for match in _TOKEN.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            mark = match[0]
            if not path and mark not in "{[":
                break
            if mark == "{":
                self._found(path, line)
                path.append("")
                is_key = True
            elif mark == "[":
                path.append(0)
                is_key = False
            elif mark in "}]":
                path.pop()
            elif mark == ",":
                is_key = isinstance(path[-1], str)
                path[-1] = path[-1] + 1 if isinstance(path[-1], int) else ""
            elif mark == ":":
                path[-1] = word
                is_key = False
            elif is_key:
                word = mark[1:-1]

    def at(self, file: int, edit: int | None = None) -> int:
        """Return the 1-based line of an edit; where it has no object of its own, of its file's, or of the batch."""
        return self._places.get((file, edit)) or self._places.get((file, None)) or self._first

    def _found(self, path: list[str | int], line: int) -> None:
        place: _Place | None = None
        match path:
            case []:
                place = (0, None)
            case [int(file)] | ["files", int(file)]:
                place = (file, None)
            case ["edits", int(edit)]:
                place = (0, edit)
            case [int(file), "edits", int(edit)] | ["files", int(file), "edits", int(edit)]:
                place = (file, edit)
            case _:
                return
        self._places[place] = line
