"""Strict mode written down naively: every string rebuilt, every window compared. Slow, and easy to believe."""

import re
import unicodedata

WHITE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
TABLE = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys([0xA0, *range(0x2002, 0x200B), 0x202F, 0x205F, 0x3000], " "),
}


class Refused(Exception):  # noqa: N818
    pass


def count(text, needle):
    return sum(text.startswith(needle, at) for at in range(len(text) + 1 - len(needle)))


def trim(text):
    return text.strip(WHITE)


def same_look(text):
    return trim(unicodedata.normalize("NFKC", text).translate(TABLE))


def collapse(text):
    return trim(re.sub(f"[{WHITE}]+", " ", text))


def unescape(text):
    named = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\([ntr'\"`\\\n$])", lambda m: named.get(m[1], m[1]), text)


def windows(text, old, same):
    """Return (start, candidate) of every window of whole lines that is the same as `old`."""
    ends = old.endswith("\n")
    wanted = old.removesuffix("\n")
    lines = text.split("\n")
    n = wanted.count("\n") + 1
    out = []
    for i in range(len(lines) - n + 1):
        if same("\n".join(lines[i : i + n]), wanted) and (not ends or i + n < len(lines)):
            start = sum(len(line) + 1 for line in lines[:i])
            block = "\n".join(lines[i : i + n]) + "\n" * ends
            if i == 0 and block.startswith("\ufeff") and not old.startswith("\ufeff"):
                start, block = 1, block[1:]
            out.append((start, block))
    return [(start, block) for start, block in out if block]


def by_line(key):
    return lambda a, b: list(map(key, a.split("\n"))) == list(map(key, b.split("\n")))


def candidates(via, text, old):
    if via == "line-trimmed":
        return windows(text, old, by_line(trim))
    if via == "unicode":
        return windows(text, old, by_line(same_look))
    if via == "whitespace":
        return windows(text, old, lambda a, b: collapse(b) != "" and collapse(a) == collapse(b))
    wanted = unescape(old)
    out = [(text.find(form), form) for form in (wanted, wanted.replace("\n", "\r\n")) if form in text]
    lines, n = text.split("\n"), wanted.count("\n") + 1
    for i in range(len(lines) - n + 1):
        block = "\n".join(lines[i : i + n])
        start = sum(len(line) + 1 for line in lines[:i])
        if i == 0 and block.startswith("\ufeff") and not wanted.startswith("\ufeff"):
            start, block = 1, block[1:]
        if block and unescape(block.replace("\r\n", "\n")) == wanted:
            out.append((start, block))
    return out


def folded(text):
    """Return `text` with CRLF as LF, and for each offset of that, and for its end, the offset in `text`."""
    out, offsets, at = [], [], 0
    while at < len(text):
        offsets.append(at)
        step = 2 if text.startswith("\r\n", at) else 1
        out.append("\n" if step == 2 else text[at])
        at += step
    return "".join(out), [*offsets, at]


def locate(text, old, new):
    if not old:
        raise Refused("empty-old-text")
    if old == new:
        raise Refused("no-op-edit")
    if times := count(text, old):
        if times > 1:
            raise Refused("not-unique")
        return text.find(old), text.find(old) + len(old), "exact"
    return locate_folded(text, old) or locate_tolerantly(text, old)


def locate_folded(text, old):
    if "\n" not in old or "\0" in text:
        return None
    flat, offsets = folded(text)
    needle = old.replace("\r\n", "\n")
    if (times := count(flat, needle)) > 1:
        raise Refused("ambiguous")
    at = flat.find(needle)
    return (offsets[at], offsets[at + len(needle)], "line-endings") if times else None


def locate_tolerantly(text, old):
    if len(trim(old).encode("utf-16-le", "surrogatepass")) // 2 < 5:
        raise Refused("too-short")
    if "\0" in text:
        raise Refused("binary")
    for via in ("line-trimmed", "unicode", "whitespace", "escape"):
        if not (found := candidates(via, text, old)):
            continue
        if len({block for _, block in found}) > 1 or count(text, found[0][1]) > 1:
            raise Refused("ambiguous")
        start, block = found[0]
        needle = unescape(old) if via == "escape" else old
        n = needle.count("\n") + 1
        if block.count("\n") + 1 >= max(n + 3, 2 * n):
            raise Refused("disproportionate")
        end = start + len(block)
        return start, end - (block.endswith("\r") and text.startswith("\n", end)), via
    raise Refused("not-found")


def written(text, start, end, via, new):
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    if via == "line-endings" and crlf and lf:
        span = text[start:end]
        crlf = span.count("\r\n")
        lf = span.count("\n") - crlf
    if crlf and not lf:
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    if lf and not crlf:
        new = new.replace("\r\n", "\n")
    if new.startswith("\r\n") and text[start - 1 : start + 1] == "\r\n" and start:
        new = new[1:]
    return new


def apply(source, edits):
    """Return (content, [(via, start line, end line)]) or raise Refused."""
    if not edits:
        raise Refused("no-edits")
    if len({(old, new) for old, new in edits}) < len(edits):
        raise Refused("duplicate-edit")
    text = source.decode("utf-8", "surrogateescape")
    outcomes = []
    for old, new in edits:
        start, end, via = locate(text, old, new)
        outcomes.append((via, text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1))
        text = text[:start] + written(text, start, end, via, new) + text[end:]
    content = text.encode("utf-8", "surrogateescape")
    if content == source:
        raise Refused("no-changes")
    return content, outcomes
