"""Batches: JSON in, validated values out. What models are known to send is folded onto the one canonical form first.

`prepare_arguments` folds and never raises; `read_batch` reads strictly, folds, and says by name what is missing.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gitedit.edits.model import Batch, Edit, FileEdits, Mode
from gitedit.errors import BatchError, Problem

MAX_BYTES = 64 * 2**20
# A batch of 64 MiB holds ten million wrong edits; nobody reads on after the first thousand.
_MOST_PROBLEMS = 1000
MAX_NESTING = 64
PATH_KEYS = ("path", "file_path", "filePath", "filename")
OLD_KEYS = ("oldText", "old_text", "oldString", "old_string", "old_str")
NEW_KEYS = ("newText", "new_text", "newString", "new_string", "new_str")
SHAPE = 'a batch is {"path": "...", "edits": [{"oldText": "...", "newText": "..."}]}'
SETTINGS = ("mode", "message", "agent", "session")
"""What a batch says once, at its top or in every object of an array alike."""
MODES: dict[str, Mode] = {"strict": "strict", "anchored": "anchored"}
_KNOWN = {*PATH_KEYS, *OLD_KEYS, *NEW_KEYS, *SETTINGS, "edits", "expect", "files"}

_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_OBJECT = (dict, Mapping)
"""What is an object; to ask for a dict first saves the search among the subclasses of Mapping."""


class Shaped(NamedTuple):
    """One canonical object, not validated yet."""

    path: str | None
    edits: list[Any]
    broken: BatchError | None
    """Why the edits that were given cannot be read."""


def read_batch(data: bytes) -> Batch:
    """Return the batch in `data`, or raise BatchError."""
    raw = _parsed(_decoded(data))
    if isinstance(raw, list):
        outer: Mapping[str, Any] = {}
        entries = raw
    elif isinstance(raw, dict) and "files" in raw:
        outer, entries = raw, _listed_files(raw)
    else:
        outer, entries = {}, [raw]
    if not entries:
        raise BatchError("no-edits", "the batch names no file", SHAPE)
    several = len(entries) > 1
    files = tuple(_file(entry, f"file {index + 1}: " if several else "") for index, entry in enumerate(entries))
    said = {key: _setting(key, [outer, *entries]) for key in SETTINGS}
    mode = said.pop("mode")
    if mode is not None and mode not in MODES:
        raise BatchError("bad-batch", '"mode" is neither "strict" nor "anchored"')
    return Batch(files, MODES[mode] if mode else None, **said)


def prepare_arguments(raw: object) -> dict[str, Any]:
    """Return `raw`, a tool call's arguments in any known shape, as `{"path": ..., "edits": [...]}`; never raise."""
    shaped = _shaped(raw)
    return {"path": shaped.path, "edits": shaped.edits}


def parse_edits(raw: object, where: str = "") -> tuple[Edit, ...]:
    """Return a list of JSON objects as edits, or raise `no-edits` or `invalid-edit`, naming every failing one."""
    if not isinstance(raw, Sequence) or isinstance(raw, (str, bytes, bytearray)) or not raw:
        raise BatchError("no-edits", f"{where}there are no edits", SHAPE)
    edits: list[Edit] = []
    problems: list[Problem] = []
    failed = 0
    for index, value in enumerate(raw):
        result = _edit(value)
        if isinstance(result, Edit):
            edits.append(result)
            continue
        failed += 1
        if failed <= _MOST_PROBLEMS:
            problems.append(Problem(None, index, "invalid-edit", f"{where}edit {index + 1}: {result}"))
    if problems:
        more = f" ({failed - 1} more are invalid too)" if failed > 1 else ""
        hint = 'an edit is {"oldText": "...", "newText": "..."}; an empty newText deletes'
        raise BatchError("invalid-edit", problems[0].message + more, hint, tuple(problems))
    return tuple(edits)


def joined(files: Iterable[FileEdits]) -> tuple[FileEdits, ...]:
    """Return `files` with those of equal path made one, in order of first mention."""
    out: dict[str, FileEdits] = {}
    for file in files:
        if file.path not in out:
            out[file.path] = file
            continue
        first = out[file.path]
        if first.expect and file.expect and first.expect != file.expect:
            problem = Problem(file.path, None, "bad-batch", "the batch expects two different versions of this file")
            raise BatchError("bad-batch", problem.message, "", (problem,))
        out[file.path] = FileEdits(file.path, first.edits + file.edits, first.expect or file.expect)
    return tuple(out.values())


# -- JSON ------------------------------------------------------------------------------------------------------


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise BatchError("bad-batch", f"the batch is larger than {MAX_BYTES // 2**20} MiB", "split it")
    try:
        # PowerShell puts a BOM in front of what it pipes; RFC 8259 lets readers ignore it.
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the batch is not UTF-8: invalid byte at offset {error.start}"
        raise BatchError("bad-batch", message, "JSON is UTF-8; only the files may be anything") from None


def _parsed(text: str, name: str = "the batch", syntax: str = "bad-batch") -> Any:  # noqa: ANN401 - JSON is anything
    """Return the JSON value in `text`, read strictly; `syntax` is the code for what is not JSON at all."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            counts = dict.fromkeys(value, 0)
            for key, _ in pairs:
                counts[key] += 1
            twice = [key for key, count in counts.items() if count > 1]
            raise BatchError("bad-batch", f"{name} has duplicate keys: {_quoted(twice)}")
        return value

    def finite(constant: str) -> Any:  # noqa: ANN401 - never returns
        raise BatchError("bad-batch", f"{name} holds {constant}, which is not JSON")

    nested = BatchError("bad-batch", f"{name} is nested more than {MAX_NESTING} deep")
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=finite)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise BatchError(syntax, f"{name} is empty", SHAPE) from None
        where = f"line {error.lineno} column {error.colno}"
        raise BatchError(syntax, f"{name} is not JSON: {error.msg} at {where}", SHAPE) from None
    except RecursionError:
        raise nested from None
    except ValueError:  # Python refuses integers of more than 4,300 digits
        raise BatchError("bad-batch", f"{name} holds a number that is too long") from None
    if _deeper_than(text, MAX_NESTING):
        raise nested
    return value


def _deeper_than(text: str, limit: int) -> bool:
    """Return whether `text`, valid JSON, nests more than `limit` arrays and objects."""
    if text.count("[") + text.count("{") <= limit:
        return False
    outside = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = outside.encode("utf-8", "surrogatepass").translate(_ONE_KIND, _NO_BRACKETS)
    for _ in range(limit):  # each round takes the innermost pairs away
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


# -- shapes ----------------------------------------------------------------------------------------------------


def _shaped(raw: object) -> Shaped:
    """Fold `raw` onto the canonical form; what cannot be mapped stays as it is."""
    if not isinstance(raw, _OBJECT):
        return Shaped(None, [], None)
    given, broken = raw.get("edits"), None
    if isinstance(given, str):
        try:
            given = _parsed(given, '"edits", a string,', syntax="no-edits")
        except BatchError as error:
            given, broken = [], error
    if isinstance(given, _OBJECT):
        given = [given]
    if given is not None and not isinstance(given, (list, tuple)):
        given, broken = [], BatchError("no-edits", f'"edits" is {_kind(given)}, not a list')
    edits = [_folded(entry) for entry in given or ()]
    pair = _folded(raw)
    if pair is not raw:
        edits.append(pair)
    return Shaped(_first_string(raw, PATH_KEYS), edits, broken)


def _folded(value: Any) -> Any:  # noqa: ANN401 - JSON is anything
    """Return an edit under its canonical keys, or `value` itself where it is not one."""
    if not isinstance(value, _OBJECT):
        return value
    if (old := _first_string(value, OLD_KEYS)) is None or (new := _first_string(value, NEW_KEYS)) is None:
        return value
    literal = {"literal": value["literal"]} if "literal" in value else {}
    return {"oldText": old, "newText": new, **literal}


def _first_string(value: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    for key in keys:
        text = value.get(key)
        if isinstance(text, str):
            return text
    return None


# -- validation ------------------------------------------------------------------------------------------------


def _listed_files(raw: Mapping[str, Any]) -> list[Any]:
    if misplaced := [key for key in raw if key in _KNOWN - {"files", *SETTINGS}]:
        raise BatchError("bad-batch", f'beside "files" there is {_quoted(misplaced)}, which belongs into its entries')
    if not isinstance(raw["files"], list):
        raise BatchError("bad-batch", f'"files" is {_kind(raw["files"])}, not a list')
    return raw["files"]


def _file(raw: object, where: str) -> FileEdits:
    if not isinstance(raw, dict):
        raise BatchError("missing-path", f'{where}{_kind(raw)} instead of an object with "path" and "edits"', SHAPE)
    shaped = _shaped(raw)
    if not shaped.path:
        raise BatchError("missing-path", where + _lacking(raw, "path"), SHAPE)
    if _unpaired(shaped.path, escaped=True):
        raise BatchError("bad-batch", f'{where}"path" holds a lone surrogate')
    expect = _setting("expect", [raw])
    broken = shaped.broken
    if broken and (broken.code == "bad-batch" or not shaped.edits):
        raise BatchError(broken.code, where + broken.message, SHAPE)
    if not shaped.edits:
        raise BatchError("no-edits", where + _lacking(raw, "edits"), SHAPE)
    return FileEdits(shaped.path, parse_edits(shaped.edits, where), expect)


def _lacking(raw: Mapping[str, Any], key: str) -> str:
    """Say that `key` is missing or no use, and which keys were not understood."""
    if raw.get(key) is not None:
        return f'"{key}" is {"empty" if not raw[key] else _kind(raw[key])}'
    unknown = [name for name in raw if name not in _KNOWN]
    return f'"{key}" is missing' + (f"; unknown: {_quoted(unknown)}" if unknown else "")


def _edit(raw: object) -> Edit | str:
    """Return `raw` as an edit, or what is wrong with it."""
    if isinstance(raw, Edit):
        if _is_sound(raw):
            return raw
        raw = {"oldText": raw.old_text, "newText": raw.new_text, "literal": raw.literal}
    if not isinstance(raw, _OBJECT):
        return f"{_kind(raw)} instead of an object"
    old, new = _first_string(raw, OLD_KEYS), _first_string(raw, NEW_KEYS)
    for name, value in (("oldText", old), ("newText", new)):
        if value is None:
            return f"{name} is {_kind(raw[name])}, not a string" if name in raw else f"{name} is missing"
        if _unpaired(value):
            return f"{name} holds a lone surrogate, which no file can"
    literal = raw.get("literal")
    if literal is not None and not isinstance(literal, bool):
        return f"literal is {_kind(literal)}, neither true nor false"
    return Edit(old or "", new or "", bool(literal))


def _is_sound(edit: Edit) -> bool:
    """Return whether a value holds what its types promise, and text that a file can."""
    old, new, literal = edit
    if type(old) is not str or type(new) is not str or type(literal) is not bool:
        return False
    return not _unpaired(old) and not _unpaired(new)


def _setting(key: str, objects: Iterable[object]) -> str | None:
    """Return what the objects that hold `key` say alike; null says nothing."""
    values = [value[key] for value in objects if isinstance(value, dict) and value.get(key) is not None]
    for value in values:
        if not isinstance(value, str):
            raise BatchError("bad-batch", f'"{key}" is {_kind(value)}, not a string')
        if _unpaired(value):
            raise BatchError("bad-batch", f'"{key}" holds a lone surrogate')
        if value != values[0]:
            raise BatchError("bad-batch", f'the batch gives two different values of "{key}"')
    return values[0] if values else None


def _unpaired(text: str, *, escaped: bool = False) -> bool:
    """Return whether `text` holds a lone surrogate; `escaped`: other than those that stand for bytes."""
    if text.isascii():
        return False
    try:
        text.encode("utf-8", "surrogateescape" if escaped else "strict")
    except UnicodeEncodeError:
        return True
    return False


def _quoted(names: Iterable[str]) -> str:
    """Return a few names for a message, cut and in ASCII."""
    return ", ".join(ascii(name[:40]).replace("'", '"') for name in list(names)[:5])


def _kind(value: object) -> str:
    kinds = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return kinds.get(type(value), "an object" if isinstance(value, _OBJECT) else "something else")
