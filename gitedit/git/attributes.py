"""What git's attributes say about our paths, and what git would store for a file: asked of git, in a scratch tree."""

import contextlib
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gitedit.errors import OperationError
from gitedit.git import hooks, index
from gitedit.git.configuration import Configuration, flag, text
from gitedit.git.process import Git, pipes

_ASKED = ("text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
# A path has at most 4,096 bytes, a pipe holds 65,536: neither side ever waits for the other.
_PATHS_AT_ONCE = 15
_UNSAID = {"unspecified"}
_IDLE = {"unspecified", "unset"}
_SCRATCH_OPTIONS = (
    *hooks.NONE,
    "-c",
    "core.splitIndex=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "core.sparseCheckout=false",
    "-c",
    "index.version=2",
)


class Attributes(NamedTuple):
    """The attributes of one path that change bytes between disk and repository, as `check-attr` prints them."""

    text: str = "unspecified"
    crlf: str = "unspecified"
    eol: str = "unspecified"
    ident: str = "unspecified"
    filter: str = "unspecified"
    working_tree_encoding: str = "unspecified"

    @property
    def filtered(self) -> str | None:
        """Return the attribute that sends the content through a program or another encoding, or None.

        A filter whose driver is not installed here counts: what others' git stores has passed it.
        """
        if self.filter not in _IDLE:
            return f"filter={self.filter}"
        # What git stores is UTF-8 anyway (convert.c, same_encoding).
        if self.working_tree_encoding.lower() not in {*_IDLE, "utf-8", "utf8"}:
            return f"working-tree-encoding={self.working_tree_encoding}"
        return None

    @property
    def named(self) -> str:
        """Return what makes git convert line endings, for a message: an attribute, or the configuration."""
        for name in ("text", "crlf", "eol", "ident"):
            value = getattr(self, name)
            if value not in _UNSAID:
                return {"set": name, "unset": f"-{name}"}.get(value, f"{name}={value}")
        return "core.autocrlf"


class AttributeReader:
    """Asks one `git check-attr --stdin` child; it is started anew when an attributes file changed under it."""

    def __init__(self, git: Git) -> None:
        """`git` must run at the top."""
        self._git = git
        self._child: subprocess.Popen[bytes] | None = None
        self._seen: dict[str, bytes | None] = {}

    def read(self, paths: Sequence[str], sources: Mapping[str, bytes | None]) -> dict[str, Attributes]:
        """Return the attributes of the paths.

        `sources` maps each attributes file that git reads for them to its content now, None: there is none.
        """
        # git keeps what it has read of them for as long as it runs.
        if any(self._seen.get(name, content) != content for name, content in sources.items()):
            self.close()
        self._seen.update(sources)
        found: dict[str, Attributes] = {}
        for start in range(0, len(paths), _PATHS_AT_ONCE):
            chunk = paths[start : start + _PATHS_AT_ONCE]
            found.update(zip(chunk, self._ask(chunk), strict=True))
        return found

    def close(self) -> None:
        """End the child."""
        self._seen.clear()
        if self._child is not None:
            child, self._child = self._child, None
            # The end of its input may be long in coming: a fork of this process holds it open, too.
            child.terminate()
            with contextlib.suppress(BrokenPipeError):
                child.communicate()

    def _ask(self, paths: Sequence[str]) -> list[Attributes]:
        if self._child is None:
            arguments = ("check-attr", "-z", "--stdin", *_ASKED)
            self._child = self._git.start(*arguments, stderr=subprocess.DEVNULL)
        requests, answers = pipes(self._child)
        try:
            requests.write(b"".join(os.fsencode(path) + b"\0" for path in paths))
            requests.flush()
        except BrokenPipeError as error:
            raise self._died() from error
        wanted = 3 * len(_ASKED) * len(paths)
        out = b""
        while out.count(b"\0") < wanted:
            piece = os.read(answers.fileno(), 1 << 16)
            if not piece:
                raise self._died()
            out += piece
        values = [os.fsdecode(value) for value in out.split(b"\0")[2:wanted:3]]
        width = len(_ASKED)
        return [Attributes(*values[n * width : (n + 1) * width]) for n in range(len(paths))]

    def _died(self) -> OperationError:
        # The next question goes to another child.
        self.close()
        return OperationError("git-failed", "git check-attr ended while it was needed")


def read_staged(git: Git, paths: Sequence[str]) -> dict[str, Attributes]:
    """Return the attributes of the paths by the .gitattributes files of the index; `git` must run at the top."""
    data = b"".join(os.fsencode(path) + b"\0" for path in paths)
    values = [
        os.fsdecode(v) for v in git.run("check-attr", "--cached", "-z", "--stdin", *_ASKED, data=data).split(b"\0")
    ]
    width = 3 * len(_ASKED)
    return {path: Attributes(*values[n * width : (n + 1) * width][2::3]) for n, path in enumerate(paths)}


def cannot_matter(attributes: Attributes, configuration: Configuration, contents: Iterable[bytes]) -> bool:
    """Return whether git stores each of the contents as it is, known without asking git.

    A test compares this rule with git on random attributes and contents.
    """
    bodies = list(contents)
    if attributes.ident not in {"unspecified", "unset"} and any(b"$Id" in body for body in bodies):
        return False
    unsaid = attributes.text in _UNSAID and attributes.crlf in _UNSAID and attributes.eol in _UNSAID
    automatic = text(configuration, "core.autocrlf") == "input" or flag(configuration, "core.autocrlf")
    if attributes.text == "unset" or (unsaid and not automatic):
        return True
    return not safecrlf(configuration) and not any(b"\r" in body for body in bodies)


def safecrlf(configuration: Configuration) -> bool:
    """Return whether `git add` refuses a conversion that can't be undone."""
    return text(configuration, "core.safecrlf") != "warn" and flag(configuration, "core.safecrlf")


class Cleaned(NamedTuple):
    """What git would store for files on disk."""

    entries: Mapping[str, str]
    """Path -> blob id."""
    refusal: str
    """Git's words where `git add` would refuse (core.safecrlf), else ""."""


def clean(
    git: Git,
    scratch: str,
    algorithm: str,
    stored: Mapping[str, tuple[str, str]],
    files: Mapping[str, tuple[bytes, bool]],
) -> Cleaned:
    """Ask git what `git add` of these files would store, without touching the index, the tree or the objects.

    Args:
        git: sees the real repository (with GIT_DIR set); its GIT_OBJECT_DIRECTORY must be a scratch one.
        scratch: an empty folder of ours; it becomes the work tree.
        algorithm: sha1 or sha256.
        stored: path -> (mode, blob id) that the index is to hold before: `text=auto` looks at it.
        files: path -> (content, executable) to write; attribute files may be among them.
    """
    tree = os.path.join(scratch, "tree")
    index_file = os.path.join(scratch, "index")
    with open(index_file, "wb") as stream:
        stream.write(index.make(stored, algorithm))
    for path, (content, executable) in files.items():
        whole = os.path.join(tree, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as stream:
            stream.write(content)
        os.chmod(whole, 0o755 if executable else 0o644)
    asked = git.with_variables(GIT_INDEX_FILE=index_file, GIT_WORK_TREE=tree)
    asked = asked._replace(directory=tree).with_options(*_SCRATCH_OPTIONS)
    wanted = [path for path in stored if path in files]
    data = b"".join(os.fsencode(path) + b"\0" for path in wanted)
    answer = asked.ask("update-index", "-z", "--stdin", data=data)
    if answer.status:
        words = answer.err.decode("utf-8", "replace").strip()
        return Cleaned({}, words or f"git update-index exited with {answer.status}")
    found = index.entries(asked, wanted)
    return Cleaned({path: rows[0].oid for path, rows in found.items()}, "")
