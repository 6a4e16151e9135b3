"""What `gitedit apply --commit` costs on a small repository, beside an empty typer app with the same options.

    python bench/startup.py [RUNS]

Both run in turn, so that the machine's moods hit both; the medians and their ratio are printed.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCHERS = {"empty": "from empty_app import app; app()", "gitedit": "from gitedit.__main__ import main; main()"}
"""What pip makes of an entry point; modules are compiled and cached for both."""
COMMANDS = {
    "empty typer app": ("empty", "apply", "--commit", "-"),
    "gitedit --version": ("gitedit", "--version"),
    "gitedit apply --commit": ("gitedit", "apply", "--commit", "-"),
}
FILES = 20


def hermetic(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITEDIT_"))}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in WHO.items()}
    return {**kept, **who, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


WHO = {"NAME": "T", "EMAIL": "t@example.invalid"}


def small_repository(folder, environment):
    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for number in range(FILES):
        with open(os.path.join(folder, f"f{number}.txt"), "wb") as stream:
            stream.write(b"".join(b"line %d\r\n" % line for line in range(200)) + b"counter 0\nlast\n")
    git("add", ".")
    git("commit", "-q", "-m", "start")


def timed(command, folder, environment, batch):
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, input=batch, check=True, capture_output=True)
    return (time.perf_counter() - started) * 1000


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        environment = hermetic(folder)
        work = os.path.join(folder, "work")
        os.mkdir(work)
        small_repository(work, environment)
        # Compiled once, as pip does when it installs; the warm-up fills the cache.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        environment["PYTHONPATH"] = os.pathsep.join([HERE, os.path.dirname(HERE)])
        for name, code in LAUNCHERS.items():
            with open(os.path.join(folder, name), "w", encoding="ascii") as stream:
                stream.write(code + "\n")
        commands = [[sys.executable, os.path.join(folder, name), *rest] for name, *rest in COMMANDS.values()]
        times = {name: [] for name in COMMANDS}
        for run in range(runs + 2):
            edit = {"oldText": f"counter {run}\n", "newText": f"counter {run + 1}\n"}
            batch = json.dumps({"path": "f0.txt", "edits": [edit]}).encode()
            measured = [timed(command, work, environment, batch) for command in commands]
            if run >= 2:  # two rounds warm the caches
                for kept, value in zip(times.values(), measured, strict=True):
                    kept.append(value)
    base = statistics.median(times["empty typer app"])
    print(f"medians of {runs} runs, in turn")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:24} {median:7.1f} ms   {median / base:5.2f} x")


if __name__ == "__main__":
    main()
