"""The environment that git children get."""

import os

from gitedit.git import repository
from gitedit.git.process import for_hook


def test_relative_git_dir_is_kept_when_it_names_a_repository_here(repo, monkeypatch):
    monkeypatch.setenv("GIT_DIR", ".git")
    assert for_hook(repo.path).environment["GIT_DIR"] == ".git"


def test_relative_git_dir_is_found_again_when_git_runs_below_the_top(repo, monkeypatch):
    os.mkdir(os.path.join(repo.path, "sub"))
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    found = repository.find(for_hook(os.path.join(repo.path, "sub")))
    assert (found.top, found.git_dir) == (repo.path, os.path.join(repo.path, ".git"))
    assert found.index_file == os.path.join(repo.path, ".git/next-index")
