"""What the documents show is what there is."""

import os
import re
import subprocess
import sys

import yaml

from .conftest import TOP


def text(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as stream:
        return stream.read()


def blocks(name):
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text(name), re.DOTALL)]


def test_manifest_is_valid_for_pre_commit(environment):
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    subprocess.run(command, cwd=TOP, env=environment, check=True, capture_output=True)


def test_manifest_keeps_each_hook_to_its_stages():
    stages = {hook["id"]: hook["stages"] for hook in yaml.safe_load(text(".pre-commit-hooks.yaml"))}
    files = ["pre-commit", "pre-merge-commit", "manual"]
    assert stages == {
        "gitedit-check-batch": files,
        "gitedit-line-endings": files,
        "gitedit-check-message": ["commit-msg"],
        "gitedit-keep-records": ["prepare-commit-msg"],
        "gitedit-audit-push": ["pre-push"],
    }


def test_configuration_in_the_documents_names_every_hook():
    [config] = blocks("docs/hooks.md")
    ids = [hook["id"] for hook in yaml.safe_load(text(".pre-commit-hooks.yaml"))]
    assert [hook["id"] for hook in config["repos"][0]["hooks"]] == ids


def test_workflows_in_the_documents_fetch_all_history():
    github, gitlab = blocks("docs/ci.md")
    checkout = github["jobs"]["audit"]["steps"][0]
    assert checkout["with"]["fetch-depth"] == 0
    assert gitlab["gitedit"]["variables"]["GIT_DEPTH"] == "0"
