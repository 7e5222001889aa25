"""The verbs, by what they are for, with the line that `gitsched --help` shows: no verb is loaded to list them."""

from collections.abc import Mapping
from typing import Final

Section = Mapping[str, str]

VERBS: Final[Mapping[str, Section]] = {
    "Begin": {
        "demo": "See it done: a small project in which one of everything goes wrong.",
        "init": "Write gitsched.toml with what is found here.",
        "doctor": "Check every precondition and say what to do.",
        "app": "The GitHub App as which gitsched acts.",
    },
    "Fill the queue": {
        "enqueue": "Put issues into the queue.",
        "plan": "Show what would be done, and change nothing.",
        "seal": "Fix a batch's members and settings.",
        "issue": "The local forge's issues.",
        "pr": "The local forge's pull requests.",
    },
    "Drive": {
        "run": "Drive until the named issues are settled.",
        "tick": "Make one pass, or passes until nothing is live.",
        "serve": "Serve GitHub's webhooks, and the dashboard.",
        "action": "Work off a GitHub workflow's event.",
    },
    "Look": {
        "status": "Show everything on one screen, with reasons.",
        "watch": "Show everything live, what needs you first.",
        "why": "Say why an issue or batch is where it is, and what comes next.",
        "show": "Show one unit in full, now or at an earlier moment.",
        "log": "Show what happened.",
        "logs": "Show what an agent printed.",
        "report": "Say what a batch, or a night, came to.",
        "stats": "Sum up what work cost.",
        "backtest": "Replay the repository's own history, and change nothing.",
        "evidence": "Look at what was kept of runs and checks.",
    },
    "Steer": {
        "pause": "Start nothing new.",
        "resume": "Go on: all, or one issue or batch.",
        "stop": "End an issue or a batch now.",
        "abandon": "Give a batch up.",
        "requeue": "Send a parked issue back to work.",
        "evict": "Take a member out of its batch, work kept.",
        "order": "Say in which order a forming batch's members land.",
        "ship": "Merge a batch's pull request now.",
        "reprioritize": "Change a priority.",
        "hold": "Keep an issue where it is.",
        "unhold": "Let a held issue go on.",
        "attach-pr": "Say which merged pull request has shipped a blocked batch.",
        "undo": "Take the last thing back that an operator did.",
        "claim": "Work an issue by hand, in a tree of its own.",
        "release": "Give a claimed issue back, work kept.",
    },
    "Overnight": {
        "schedule": "Book work for a window of time.",
        "approve": "Approve a schedule by the token of its packet.",
        "harvest": "Land what schedules have made.",
        "discard": "Drop what a schedule has made; rescue refs keep it.",
    },
    "Care": {
        "sync": "Have what the remote has.",
        "gc": "Move what has ended out of the way, and sum old history up.",
        "fsck": "Check everything that is kept, and mend what has one right answer.",
        "completion": "Print what lets a shell complete verbs and options.",
    },
    "For agents, inside a run": {
        "post": "Post a milestone.",
        "done": "Say that the work is complete.",
        "hand-back": "Say that the work cannot be done, or not all of it.",
        "check": "Ask whether this run is still the current one.",
        "worker": "Run one agent (internal).",
        "credential": "Hand git the forge's token (internal).",
    },
}
APP_VERBS: Final[Mapping[str, Section]] = {
    "Commands": {
        "create": "Make the GitHub App and keep its secrets.",
        "manifest": "Show what GitHub would be asked for.",
    }
}
ISSUE_VERBS: Final[Mapping[str, Section]] = {
    "Commands": {
        "new": "Make an issue and print its number.",
        "list": "List issues.",
        "show": "Show an issue with its comments.",
        "edit": "Change an issue's title, text or labels.",
        "close": "Close an issue.",
        "reopen": "Open a closed issue again.",
        "comment": "Comment on an issue.",
        "import": "Make issues of Markdown files.",
    }
}
SCHEDULE_VERBS: Final[Mapping[str, Section]] = {
    "Commands": {
        "add": "Book issues and batches for a window.",
        "list": "List schedules, with what each waits for.",
        "show": "Show a schedule, its packet and the token that approves it.",
        "cancel": "End a schedule; what it has done is kept.",
        "resume": "Let a schedule go on that needs a person, from its next window on.",
        "install": "Have a timer of this machine drive.",
    }
}
EVIDENCE_VERBS: Final[Mapping[str, Section]] = {
    "Commands": {"verify": "Prove a batch's evidence whole, or name what is not."}
}
PR_VERBS: Final[Mapping[str, Section]] = {
    "Commands": {
        "list": "List pull requests.",
        "show": "Show a pull request.",
        "merge": "Merge a pull request into its target.",
    }
}
