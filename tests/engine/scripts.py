"""The agent that tests play with, and the configuration that every world begins with."""

import sys

GITSCHED = f"{sys.executable} -m gitsched"

AGENT = """\
#!/bin/sh
# Plays the agent of an issue: its own script, then a commit, then the ending that the test asked for.
folder="{scripts}"
echo "$GITSCHED_ISSUE $GITSCHED_GEN" >> "$folder/started"
gitsched() {{ {gitsched} "$@"; }}
script="$folder/$GITSCHED_ISSUE.sh"
[ -f "$folder/$GITSCHED_ISSUE.$GITSCHED_GEN.sh" ] && script="$folder/$GITSCHED_ISSUE.$GITSCHED_GEN.sh"
. "$script"
"""

CONFIG = """\
[project]
target = "main"

[slots]
max = {slots}

[agents]
default = "fake"
[agents.fake]
command = ["sh", "{scripts}/agent"]
completion = "{completion}"
timeout = "60s"

[worktrees]
dir = "{trees}"
{more}
"""

SUITE = """
[suite]
run = ["sh", "suite.sh"]
evidence = "exit"
"""
