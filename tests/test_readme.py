"""The README's commands are those that are run."""

import os
import re

import pytest

import gitedit
from gitedit.cli.app import ENTRIES
from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import Batch
from gitedit.settings import Settings, resolve

TOP = os.path.dirname(os.path.dirname(gitedit.__file__))


def text(name):
    path = os.path.join(TOP, name)
    if not os.path.exists(path):
        pytest.skip("not in a checkout")
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def test_test_command_is_the_one_that_ci_runs():
    commands = re.findall(r"```sh\n(.*)\n```", text("README.md"))
    assert len(commands) == 2
    assert commands[1] in text(".ci/run").splitlines()
    assert os.path.exists(os.path.join(TOP, commands[0].split()[1]))


def test_commands_are_in_the_table_when_they_exist():
    assert [entry.name for entry in ENTRIES if f"| `gitedit {entry.name}" not in text("README.md")] == []


def test_settings_are_read_when_the_table_names_them():
    rows = re.findall(r"\| `gitedit\.(\w+)` \| `(GITEDIT_\w+)` \|", text("README.md"))
    assert len(rows) == 7
    values = {"mode": "anchored", "match": "exact", "agent": "A:b", "assistedBy": "no", "summary": "no"}
    for key, variable in rows:
        value = values.get(key, "yes")
        for config, environ in (({f"gitedit.{key.lower()}": [value]}, {}), ({}, {variable: value})):
            assert resolve(config, environ, Batch(()), ApplyRequest(b"")) != Settings(), key
