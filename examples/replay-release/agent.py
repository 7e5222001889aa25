"""The agent: applies its issue's patch to its own tree and commits. Its exit code is its word.

agent.py PATCHES     with the issue's number in GITSCHED_ISSUE, as every agent has it
"""

import os
import subprocess
import sys
from pathlib import Path

# A patch without context stands where its line numbers say, and nowhere else.
APPLY = ["git", "apply", "--index", "--unidiff-zero", "--whitespace=nowarn"]


def main() -> None:
    issue = os.environ["GITSCHED_ISSUE"]
    title = Path(os.environ["GITSCHED_ISSUE_FILE"]).read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
    subprocess.run([*APPLY, Path(sys.argv[1]) / f"{issue}.patch"], check=True)
    subprocess.run(["git", "commit", "--quiet", "--message", title], check=True)
    print(f"{title}: done")


if __name__ == "__main__":
    main()
