"""The repository that most audits begin with."""

import pytest

from tests.audit.recorded import edit, line, text


@pytest.fixture
def work(repo):
    """A repository of two files and a recorded edit of the first."""
    repo.commit({"a": text(), "b": text(word="row")})
    edit(repo, "a", (line(10), "ten\n"), agent="Claude:opus")
    return repo
