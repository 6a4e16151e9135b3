"""What a hook costs that has nothing to say, beside an empty Python hook.

    python bench/hook.py [RUNS] [--check]

Both are started as pip installs an entry point, in turn, so that the machine's moods hit both; the medians and their
ratio are printed. With --check it fails above 1.5.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 1.5
LAUNCHERS = {"empty": "import sys\nfrom empty_hook import main\nsys.exit(main())"}
LAUNCHERS["gitedit"] = LAUNCHERS["empty"].replace("empty_hook", "gitedit.__main__")
NAMES = [f"src/module_{number}.py" for number in range(5000)]
HOOKS = {
    "empty hook": ("empty",),
    "empty hook, 5,000 names": ("empty", *NAMES),
    "check, 5,000 other names": ("gitedit", "check", "--staged", *NAMES),
    "endings, 5,000 names": ("gitedit", "endings", "--staged", *NAMES),
    "pre-commit": ("gitedit", "hook", "pre-commit"),
    "prepare-commit-msg": ("gitedit", "hook", "prepare-commit-msg", ".git/COMMIT_EDITMSG", "message"),
    "commit-msg": ("gitedit", "hook", "commit-msg", ".git/COMMIT_EDITMSG"),
    "pre-push": ("gitedit", "hook", "pre-push", "origin", "url"),
}


def hermetic(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITEDIT_"))}
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in WHO.items()}
    return {**kept, **who, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


WHO = {"NAME": "T", "EMAIL": "t@example.invalid"}


def repository(folder, environment):
    """Make a repository in which ten changed files are staged; return the id of its one commit."""

    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)
        return done.stdout.decode().strip()

    git("init", "-q", "-b", "main")
    for last in (b"", b"changed\n"):
        for number in range(10):
            with open(os.path.join(folder, f"f{number}.txt"), "wb") as stream:
                stream.write(b"line\n" * 500 + last)
        git("add", ".")
        if not last:
            git("commit", "-q", "-m", "start")
    return git("rev-parse", "HEAD")


def timed(command, folder, environment, data):
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, input=data, check=True, capture_output=True)
    return (time.perf_counter() - started) * 1000


def measure(runs, work, environment, head, folder):
    push = f"refs/heads/main {head} refs/heads/main {'0' * 40}\n".encode()
    times = {name: [] for name in HOOKS}
    for run in range(runs + 2):
        for name, (launcher, *rest) in HOOKS.items():
            data = push if name == "pre-push" else b""
            value = timed([sys.executable, os.path.join(folder, launcher), *rest], work, environment, data)
            if run >= 2:  # two rounds warm the caches
                times[name].append(value)
    return times


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    runs = int(words[0]) if words else 20
    with tempfile.TemporaryDirectory() as folder:
        environment = hermetic(folder)
        work = os.path.join(folder, "work")
        os.mkdir(work)
        head = repository(work, environment)
        # Compiled once, as pip does when it installs; the warm-up fills the cache.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        environment["PYTHONPATH"] = os.pathsep.join([folder, os.path.dirname(HERE)])
        for name, code in {**LAUNCHERS, "empty_hook.py": "def main():\n    return 0"}.items():
            with open(os.path.join(folder, name), "w", encoding="ascii") as stream:
                stream.write(code + "\n")
        times = measure(runs, work, environment, head, folder)
    print(f"medians of {runs} runs, in turn, each beside an empty hook with as many arguments")
    worst = 0.0
    for name, values in times.items():
        base = statistics.median(times["empty hook, 5,000 names" if "names" in name else "empty hook"])
        median = statistics.median(values)
        worst = max(worst, median / base)
        print(f"{name:26} {median:7.1f} ms   {median / base:5.2f} x")
    if "--check" in sys.argv and worst > LIMIT:
        sys.exit(f"a hook with nothing to say takes {worst:.2f} times an empty one; the limit is {LIMIT}")


if __name__ == "__main__":
    main()
