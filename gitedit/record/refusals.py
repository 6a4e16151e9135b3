"""What comes from outside and may not enter a message, and what may but deserves a warning."""

from gitedit.errors import BatchError

_LONGEST_VALUE = 512
"""Characters of an agent or session: a name, not a place to keep a prompt."""
_ONE_LINE = "give it as one line of plain text"
_PLAIN = "write it in plain text: lines, tabs, no control characters"
_SEPARATORS = "\u2028\u2029"
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_MAIL_HEADERS = ("from:", "date:", "subject:")
_BLANKS = " \t\r"


def check_value(name: str, value: str) -> str:
    """Return `value` (an agent, session, signer: one line) or refuse it as `bad-provenance`."""
    if not value.strip():
        raise BatchError("bad-provenance", f"the {name} is empty", _ONE_LINE)
    if len(value) > _LONGEST_VALUE:
        raise BatchError("bad-provenance", f"the {name} is longer than {_LONGEST_VALUE} characters", _ONE_LINE)
    if any(_is_control(c) or c in _SEPARATORS or c in _BIDI for c in value):
        raise BatchError("bad-provenance", f"the {name} holds a control character or a newline", _ONE_LINE)
    return value


def check_text(text: str) -> str:
    """Return a message's text (newlines, tabs and CRLF allowed) or refuse it as `bad-provenance`."""
    if not text.strip():
        raise BatchError("bad-provenance", "the commit message is empty", "leave it out for a default one")
    if "\r" in text.replace("\r\n", ""):
        raise BatchError("bad-provenance", "the commit message holds a carriage return that ends no line", _PLAIN)
    if any(_is_control(c) for c in set(text) - {"\n", "\t", "\r"}):
        what = "a control character or text that is not Unicode"
        raise BatchError("bad-provenance", f"the commit message holds {what}", _PLAIN)
    return text


def warnings_for(text: str) -> tuple[str, ...]:
    """Return a warning for each line of the body at which git's mail tools cut or take something out."""
    lines = text.strip("\n").split("\n")
    body = next((i for i, line in enumerate(lines) if not line.strip(_BLANKS)), len(lines))
    warnings: list[str] = []
    opening = True
    # Only the body: format-patch folds the first paragraph into one Subject header.
    for number, line in enumerate(lines[body:], text[: len(text) - len(text.lstrip("\n"))].count("\n") + body + 1):
        if not line.strip(_BLANKS):
            continue
        if opening and line.lower().startswith(_MAIL_HEADERS):
            header = line.partition(":")[0]
            warnings.append(
                f"line {number} of the message opens the body with `{header}:`: `git am` will take it for a mail header"
                " and drop it"
            )
            continue
        opening = False
        if (kind := _cut(line)) is not None:
            dropped = "comes before it (with --scissors)" if kind == "scissors" else "follows"
            warnings.append(f"line {number} of the message is a {kind} line: `git am` will drop what {dropped}")
    return tuple(warnings)


def _is_control(c: str) -> bool:
    return c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff"


def _cut(line: str) -> str | None:
    """Return the kind of cut, as git's mailinfo.c (patchbreak, is_scissors_line) sees it."""
    if line.startswith("diff -"):
        return "`diff -`"
    if line.startswith("Index: "):
        return "`Index:`"
    if line.startswith("---"):
        rest = line[3:]
        if not rest.strip(_BLANKS) or (rest[0] == " " and rest[1] not in _BLANKS):
            return "`---`"
    return "scissors" if _is_scissors(line) else None


def _is_scissors(line: str) -> bool:
    text = line.strip(_BLANKS)
    if ">8" not in text and "8<" not in text and ">%" not in text and "%<" not in text:
        return False
    perforation = gap = scissors = skip = 0
    inside = False
    for at, c in enumerate(text):
        if skip:
            skip = 0
        elif c in _BLANKS:
            perforation, gap = perforation + inside, gap + inside
        elif c == "-":
            inside, perforation = True, perforation + 1
        elif text[at : at + 2] in (">8", "8<", ">%", "%<"):
            inside, perforation, scissors, skip = True, perforation + 2, scissors + 2, 1
        else:
            inside = False
    return bool(scissors) and 8 <= len(text) < perforation * 3 and gap * 2 < perforation
