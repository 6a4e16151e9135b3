"""The one error type, its codes, and the exit status of each code (INTERFACE: "Codes and exit codes").

Every refusal is an `EditError`; a subclass says who refused. `code` decides the exit status, never the class.
"""

from typing import NamedTuple

EXIT_STATUS: dict[str, int] = {
    code: status
    for status, codes in {
        2: "usage bad-revision",
        3: (
            "bad-batch missing-path no-edits invalid-edit duplicate-edit empty-old-text no-op-edit multiple-markers"
            " blank-anchor bad-provenance"
        ),
        4: (
            "not-found not-unique ambiguous too-short binary too-large disproportionate head-not-found head-not-unique"
            " tail-not-found tail-not-unique overlap no-changes uncommitted-lines encoding"
        ),
        5: (
            "not-a-repository bare-repository git-missing git-too-old in-progress unmerged no-identity path-outside"
            " git-dir symlink hard-link not-committed missing-file not-regular submodule hidden-flag not-in-worktree"
            " filtered line-endings dirty inside-hook needs-recovery"
        ),
        6: "locked file-changed ref-moved index-changed stale",
        7: "hook-rejected hook-changed-commit signing-failed",
        8: "verification-failed",
        70: "internal",
        74: "io-error git-failed",
        130: "interrupted",
    }.items()
    for code in codes.split()
}


class Problem(NamedTuple):
    """One thing that is wrong, in machine-readable form."""

    path: str | None
    """As given in the batch, or None where no file is concerned."""
    edit: int | None
    """0-based index into the file's edits, or None."""
    code: str
    message: str
    lines: tuple[int, ...] = ()
    """1-based lines that the message speaks of."""


class EditError(Exception):
    """A refusal: `code` (see EXIT_STATUS), one sentence, a hint (may be ""), and every problem found."""

    def __init__(self, code: str, message: str, hint: str = "", problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.problems = problems

    @property
    def exit_status(self) -> int:
        """The process exit status of this refusal."""
        return EXIT_STATUS[self.code]


class BatchError(EditError):
    """The batch itself is wrong (exit 3)."""


class MatchError(EditError):
    """An edit did not find its one place (exit 4; shape errors of single edits: exit 3)."""


class RepositoryError(EditError):
    """The repository, or a file in it, is in a state that gitedit refuses (exit 5)."""


class ConflictError(EditError):
    """Somebody else changed something meanwhile; safe to retry (exit 6)."""


class HookError(EditError):
    """A hook or signing said no (exit 7)."""


class VerificationError(EditError):
    """What was computed is not what was planned; nothing was published (exit 8)."""


class OperationError(EditError):
    """Reading or writing failed, or a git child died; everything is as before (exit 74)."""


class InterruptedBySignal(KeyboardInterrupt):
    """SIGTERM or SIGHUP as an exception, so that what rolls back on Ctrl-C rolls back; exit status 128 + `signal`."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.signal = signal


def interrupted(signal: int, _frame: object) -> None:
    """Handle a signal by raising it; `publish.signals` knows this handler for one that it may replace for a while."""
    raise InterruptedBySignal(signal)
