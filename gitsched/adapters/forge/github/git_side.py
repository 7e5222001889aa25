"""GitHub as a git server: the target is fetched, a branch published, and the token handed to git in its environment.

The token stands in the environment of our own git processes alone: `gitsched credential` reads it there. No address,
configuration file or argument vector ever holds it.
"""

import shlex
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from gitsched.adapters.forge.github.credentials import GIT_USER, Credential
from gitsched.adapters.git.large_files import sending
from gitsched.adapters.git.process import Completed, Git, engine_git
from gitsched.adapters.git.push_report import PushRefused, read_push
from gitsched.domain.forge import HeadMoved, PublishRefused
from gitsched.domain.ids import branch_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import GitFailedError

TARGETS: Final = "refs/gitsched-target/"
"""Where the branches that pull requests merge into stand in this clone; nothing but a fetch writes there."""
SECRET, ORIGIN = "GITSCHED_CREDENTIAL", "GITSCHED_CREDENTIAL_ORIGIN"
_LIMIT_S = 120.0
_WORDS = 300
_MISSING = "couldn't find remote ref"
_STALE = ("stale info", "fetch first", "non-fast-forward", "incorrect old value", "cannot lock ref")


def credential_environment(web_url: str, token: str) -> dict[str, str]:
    """Let git ask `gitsched credential` for that address, and nobody else."""
    helper = f"!{shlex.quote(sys.executable)} -m gitsched credential"
    settings = (("credential.helper", ""), ("credential.helper", helper), ("http.followRedirects", "true"))
    named = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        named |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**named, **secret_for(web_url, token)}


def secret_for(web_url: str, token: str) -> dict[str, str]:
    """Give the variables that `gitsched credential` answers from."""
    place = urlsplit(web_url)
    return {SECRET: token, ORIGIN: f"{place.scheme}://{place.netloc}"}


def credential_lines(asked: str, environment: dict[str, str]) -> str:
    """Answer git's `credential get` on standard input; empty for an address, or a protocol, that is none of ours."""
    wanted = dict(line.split("=", 1) for line in asked.split("\n") if "=" in line)
    secret = environment.get(SECRET, "")
    if not secret or f"{wanted.get('protocol')}://{wanted.get('host')}" != environment.get(ORIGIN):
        return ""
    return f"username={GIT_USER}\npassword={secret}\n"


class GitSide:
    """The repository on GitHub, as git sees it."""

    def __init__(self, common: Path, credential: Credential, web_url: Callable[[], str]) -> None:
        """Stand on a clone; `web_url` tells where the repository is now."""
        self._git: Git = engine_git(common)
        self._common = common
        self._credential = credential
        self._web_url = web_url

    def target(self, branch: str) -> str | Unreachable | None:
        """Bring a branch here and name its commit; None where there verifiably is none."""
        kept = f"{TARGETS}{branch}"
        words = ("--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no", "--quiet")
        done = self._run("fetch", *words, self._address(), f"+{branch_ref(branch)}:{kept}")
        if isinstance(done, Unreachable):
            return done
        if not done.ok:
            return None if _MISSING in done.complaint() else _unreachable(branch, done)
        return self._git.run("rev-parse", "--verify", kept).text()

    def publish(
        self, branch: str, head: str, known: Collection[str]
    ) -> HeadMoved | PublishRefused | Unreachable | None:
        """Push a branch to `head`, from nothing or from a commit that we put it to before."""
        found = self.tip(branch)
        if isinstance(found, Unreachable) or found == head:
            return found if isinstance(found, Unreachable) else None
        if found is not None and found not in known:
            return HeadMoved(found=found)
        large = sending(self._git, self._common, self._address(), [head])
        sent = self._run(*large) if large else None
        if sent is not None and (isinstance(sent, Unreachable) or not sent.ok):
            return sent if isinstance(sent, Unreachable) else _unreachable(branch, sent)
        ref = branch_ref(branch)
        lease = f"--force-with-lease={ref}:{found or ''}"
        done = self._run("push", "--porcelain", "--no-verify", "--no-signed", lease, self._address(), f"{head}:{ref}")
        if isinstance(done, Unreachable) or not done.ok:
            return self._after_push(branch, head, found, done)
        return None

    def tip(self, branch: str) -> str | Unreachable | None:
        """Name where a branch is on GitHub now."""
        done = self._run("ls-remote", "--quiet", self._address(), branch_ref(branch))
        if isinstance(done, Unreachable):
            return done
        if not done.ok:
            return _unreachable(branch, done)
        return done.text().split("\t")[0] or None

    def _after_push(
        self, branch: str, head: str, before: str | None, done: Completed | Unreachable
    ) -> HeadMoved | PublishRefused | Unreachable | None:
        """Look what became of a push that was not confirmed: it may have been done, or somebody was faster."""
        now = self.tip(branch)
        if now == head:
            return None
        if isinstance(now, Unreachable):
            return now
        if isinstance(done, Completed) and now != before and any(word in _said(done) for word in _STALE):
            return HeadMoved(found=now or "")
        if isinstance(done, Completed):
            answer = read_push(done, [branch_ref(branch)])
            if isinstance(answer, PushRefused):
                return PublishRefused(detail=answer.words)
        return done if isinstance(done, Unreachable) else _unreachable(branch, done)

    def _run(self, verb: str, *words: str) -> Completed | Unreachable:
        web_url = self._web_url()
        git = Git(self._git.directory, self._git.environment, (*self._git.options, "-c", "push.pushOption="))
        environment = credential_environment(web_url, self._credential.token())
        try:
            return git.run(verb, *words, timeout_s=_LIMIT_S, check=False, env=environment)
        except GitFailedError as late:
            return Unreachable(what=web_url, detail=late.detail)

    def _address(self) -> str:
        return f"{self._web_url()}.git"


def _said(done: Completed) -> str:
    return f"{done.text()} {done.complaint()}"


def _unreachable(branch: str, done: Completed) -> Unreachable:
    return Unreachable(what=f"the branch {branch} on GitHub", detail=" ".join(_said(done).split())[-_WORDS:])
