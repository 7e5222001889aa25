"""The demo's agent: does what a coding agent does, from a script that is written beforehand.

It reads the issue, thinks for a moment, edits, commits and says so; where its part is to give up, it hands
back. Started again in a tree where an earlier run stopped, it goes on from what is there.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

WORK = Path(__file__).resolve().parent / "work"
THINKING_S = 0.25
SUBJECT = "Subject: "


def main() -> int:
    """Work on the issue that the environment names."""
    issue = os.environ["GITSCHED_ISSUE"]
    title = Path(os.environ["GITSCHED_ISSUE_FILE"]).read_text(encoding="utf-8").partition("\n")[0]
    tell(f"I am to work on issue {issue}: {title.lstrip('# ')}")
    say("post", "--phase", "plan", "--status", "done")
    think()
    refusal = WORK / f"{int(issue):02}.hand-back"
    if refusal.exists():
        return say("hand-back", "--reason", refusal.read_text(encoding="utf-8").strip())
    for patch in sorted(WORK.glob(f"{int(issue):02}-*.patch")):
        implement(patch)
    return say("done", "--summary", title.lstrip("# "))


def implement(patch: Path) -> None:
    """Make the change that a patch holds and commit it under the patch's subject, unless that is done."""
    subject = patch.read_text(encoding="utf-8").partition("\n")[0].removeprefix(SUBJECT)
    if subject in git("log", "--format=%s", f"{os.environ['GITSCHED_BASE']}..HEAD").splitlines():
        return tell(f"done before: {subject}")
    say("post", "--phase", "implement", "--status", "progress", "--key", f"step={subject}")
    think()
    if subprocess.run(["git", "apply", "--reverse", "--check", patch], check=False, capture_output=True).returncode:
        git("apply", str(patch))
    git("add", "--all")
    git("commit", "--quiet", "--message", subject)
    return tell(git("show", "--stat", "--format=committed: %s", "HEAD"))


def git(*arguments: str) -> str:
    """Run git here; its failure ends the agent."""
    return subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def say(*words: str) -> int:
    """Tell gitsched something, by the interpreter that runs this: PATH may know another one, or none."""
    return subprocess.run([sys.executable, "-P", "-m", "gitsched", *words], check=False).returncode


def tell(text: str) -> None:
    """Write into the run's log."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def think() -> None:
    """Let a moment pass, so that there is something to watch."""
    threading.Event().wait(THINKING_S)


if __name__ == "__main__":
    sys.exit(main())
