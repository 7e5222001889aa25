"""Tables for what happens around the pull request, and who is told."""

from typing import Annotated, Literal

import msgspec

from gitsched.config.lists import ENV_NAMES, LABELS, Argv, Command, Many
from gitsched.config.reading import Key
from gitsched.config.rules import Choice, Duration, Size, Text, Whole, quoted
from gitsched.domain.merging import Mechanism, MergeBy, merge_by

BRANCH_NAME = r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])"
# What git-check-ref-format(1) allows of a branch, less a leading dash.
ED25519 = r"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43}(?: .*)?"
# The public half of an Ed25519 key as OpenSSH writes it: RFC 8709 in Base64.


class ProjectSettings(msgspec.Struct, frozen=True):
    """`[project]`: which branch, which forge, which remote."""

    target: Annotated[str, Key("target", Text("the name of a branch", BRANCH_NAME))] = "main"
    forge: Annotated[Literal["local", "github"], Key("forge")] = "local"
    remote: Annotated[str, Key("remote", Text('the name of a remote, or "" for none', rf"(?:{BRANCH_NAME})?"))] = ""
    """Empty: all state stays in this clone."""
    anchor: Annotated[Literal["pr", "issue", "none"], Key("anchor")] = "pr"


_MERGE = "|".join(rf"{word}:\S+" if word.traits.has_label else word for word in Mechanism)


def _told_of_mechanisms() -> str:
    words = [quoted(f"{word}:NAME" if word.traits.has_label else word) for word in Mechanism]
    return f"{', '.join(words[:-1])} or {words[-1]}"


class ShipSettings(msgspec.Struct, frozen=True):
    """`[ship]`: the pull request and who merges it."""

    merge: Annotated[
        str,
        Key("merge", Text(_told_of_mechanisms(), _MERGE)),
    ] = "manual"
    method: Annotated[Literal["rebase", "merge", "squash"], Key("method")] = "rebase"
    draft: Annotated[Literal["until-green", "never"], Key("draft")] = "until-green"
    labels: Annotated[tuple[str, ...], Key("labels", LABELS)] = ()
    allow_squash: Annotated[bool, Key("allow_squash")] = False

    @property
    def merge_by(self) -> MergeBy:
        """Say what merges, as a word of the closed set."""
        return merge_by(self.merge)


class MilestoneSettings(msgspec.Struct, frozen=True):
    """`[milestones]`: which forms of milestone comments are read."""

    formats: Annotated[
        tuple[str, ...],
        Key("formats", Many(Choice(("gitsched", "runstate")), empty_allowed=False)),
    ] = ("gitsched",)


class DeploySettings(msgspec.Struct, frozen=True):
    """`[deploy]`: what must hold after the merge."""

    check: Annotated[Argv, Key("check", Command(absent_allowed=True))] = ()
    """Empty: none is run."""
    environment: Annotated[str, Key("environment", Text("the name of an environment", r"(?:\S.{0,253}\S|\S)?"))] = ""
    """Of GitHub: the batch waits for its deployment there, before the check is run."""
    env: Annotated[tuple[str, ...], Key("env", ENV_NAMES)] = ()
    """Names of variables that pass to it although they look secret."""
    timeout_s: Annotated[float, Key("timeout", Duration())] = 1800.0


class WatchSettings(msgspec.Struct, frozen=True):
    """`[watch]`: how often an open pull request is looked at."""

    interval_s: Annotated[float, Key("interval", Duration())] = 150.0
    check_start_s: Annotated[float, Key("check_start", Duration())] = 1800.0
    """After which a check that never started is told."""


class LabelSettings(msgspec.Struct, frozen=True):
    """`[labels]`: labels that keep an issue from running."""

    block: Annotated[tuple[str, ...], Key("block", LABELS)] = (
        "decision-pending",
        "needs-clarification",
        "epic",
        "decomposed",
    )
    interval_s: Annotated[float, Key("interval", Duration())] = 600.0


NotifyEvent = Literal["finished", "needs-you", "paused", "failed"]
_EVENTS: tuple[NotifyEvent, ...] = ("finished", "needs-you", "paused", "failed")


class NotifySettings(msgspec.Struct, frozen=True):
    """`[notify]`: who is told of what."""

    command: Annotated[Argv, Key("command", Command(absent_allowed=True))] = ()
    env: Annotated[tuple[str, ...], Key("env", ENV_NAMES)] = ()
    """Names of variables that pass to the command although they look secret, and that `url` may name."""
    url: Annotated[str, Key("url", Text("an http or https address", r"(?:https?://\S+)?"))] = ""
    """`${NAME}` stands for one of `env`."""
    events: Annotated[tuple[NotifyEvent, ...], Key("events", Many(Choice(_EVENTS)))] = _EVENTS

    @property
    def has_sink(self) -> bool:
        """Say whether there is anywhere to tell."""
        return bool(self.command or self.url)


class EvidenceSettings(msgspec.Struct, frozen=True):
    """`[evidence]`: what is kept of a run, and how it is signed."""

    text: Annotated[bool, Key("text")] = False
    """Keep prompt and issue text, not only their hashes."""
    log_bytes: Annotated[int, Key("log", Size())] = 2**20
    keep_s: Annotated[float, Key("keep", Duration())] = 90 * 86_400.0
    sign_key: Annotated[str, Key("sign_key", Text("the path of a private key file"))] = ""
    """What this clone signs manifests with: an Ed25519 key as `ssh-keygen` writes it, or as PEM. Empty: it does not."""
    keys: Annotated[tuple[str, ...], Key("keys", Many(Text("a line such as ssh-ed25519 AAAA…", ED25519)))] = ()
    """Whose signatures `evidence verify` takes; without any it asks for none."""


class StoreSettings(msgspec.Struct, frozen=True):
    """`[store]`: how state is kept and shared."""

    fsync: Annotated[bool, Key("fsync")] = True
    compact_after_s: Annotated[float, Key("compact_after", Duration())] = 30 * 86_400.0
    pushes_per_minute: Annotated[int | None, Key("pushes_per_minute", Whole(0, 1000))] = None
    """0: no limit; None: 6 on GitHub, no limit elsewhere."""
    publish: Annotated[bool, Key("publish")] = False
