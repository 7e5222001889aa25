"""Errands: agents that work for a whole batch, or mend it, as jobs: claimed with a tree of their own, then started."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.profiles import AgentProfile, agent_argv, resolve_profile
from gitsched.domain.events import EventName
from gitsched.domain.records import Batch, Job
from gitsched.domain.runs import RunEnd, RunOrder
from gitsched.domain.state import Draft, State
from gitsched.domain.story import BatchStory
from gitsched.domain.words import JobKind, Tier
from gitsched.engine.desk import Desk
from gitsched.engine.evidence import forget_job
from gitsched.engine.jobs import REPORT_FILE, JobOrder, Start, claim, is_current
from gitsched.engine.release import give_suite_tree_back, suite_owner
from gitsched.engine.spending import errand_costs
from gitsched.engine.story import batch_story
from gitsched.policy.budget import Purse, amounts_of
from gitsched.policy.environment import agent_environment
from gitsched.policy.errands import Errand, errand_wait, unit_of
from gitsched.ports.worktrees import TreeRefused
from gitsched.view.prompt import render_batch_prompt

PROMPT_FILE = "prompt.md"


class Sent(Struct, frozen=True, kw_only=True):
    """An errand with the agent that is found for it."""

    batch: Batch
    name: str
    kind: JobKind
    errand: Errand
    profile: AgentProfile
    sentence: str


def profile_for(desk: Desk, batch: Batch, name: str, tier: Tier) -> AgentProfile | str:
    """Find the agent of an errand; a word says why there is none."""
    profile = resolve_profile(desk.settings_of(batch).agents, name, tier)
    if profile is None or not desk.around.programs(profile.command[0]):
        return f"profile-missing:{name}"
    return profile


def send(desk: Desk, sent: Sent, is_due: Callable[[State], bool], start: Start) -> str | None:
    """Claim an errand in a tree at the integration head, and start it; a word says why no tree could be made."""
    batch, token = sent.batch, secrets.token_hex(16)
    head, owner = batch.integration.head or "", suite_owner(batch.id, desk.me.driver, token)
    place = desk.around.trees.acquire(owner, head, None)
    if isinstance(place, TreeRefused):
        return place.reason
    order = JobOrder(
        batch=batch.id,
        name=sent.name,
        kind=sent.kind,
        argv=sent.profile.command,
        place=str(place.path),
        commit=head,
        tree=desk.around.lander.tree_of(head),
        fingerprint="",
        timeout_s=sent.profile.timeout_s,
        env=sent.profile.env,
        issue=sent.errand.issue or None,
        check=sent.profile.name,
        token=token,
        tier=sent.errand.tier,
        reserved=Purse(desk.situation(desk.state)).reservation(unit_of(batch, sent.errand, desk.settings_of(batch))),
    )

    def may_start(state: State) -> bool:
        return is_due(state) and errand_wait(desk.situation(state), state.batches[batch.id]) is None

    if not claim(desk, order, sent.sentence, may_start, start):
        desk.around.trees.release(place.path, [owner])
    elif batch.reason is not None:
        desk.record(lambda draft: _waits_no_more(draft, sent))
    return None


def _waits_no_more(draft: Draft, sent: Sent) -> None:
    now = draft.state.batches[sent.batch.id]
    if now.status is sent.batch.status and now.reason == sent.batch.reason:
        sentence = f"The {sent.name} of {now.id} has a slot"
        draft.note(EventName.PROGRESS, sentence, replace(now, reason=None), batch=now.id)


def note_wait(draft: Draft, seen: Batch, what: str, wait: str) -> None:
    """Record why an errand does not start yet."""
    now = draft.state.batches[seen.id]
    if now.status is seen.status and now.reason != wait:
        sentence = f"The {what} of {seen.id} waits: {wait}"
        draft.note(EventName.PROGRESS, sentence, replace(now, reason=wait), batch=seen.id, reason=wait)


def start_errand(desk: Desk, job: Job, profile: AgentProfile, prompt: bytes, identity: Mapping[str, str]) -> None:
    """Start the agent of a claimed errand; what it writes to `$GITSCHED_REPORT` is read when it has ended."""
    runner, batch = desk.around.runner, desk.state.batches[job.batch]
    folder = runner.place(job.batch, job.run, job.gen, {PROMPT_FILE: prompt})
    known = {**_identity(job, batch, folder), **identity}
    env, secret_names = agent_environment(desk.around.environment, profile.env, known)
    order = RunOrder(
        batch=job.batch,
        name=job.run,
        gen=job.gen,
        token=job.token,
        argv=agent_argv(profile, str(folder / PROMPT_FILE)),
        cwd=job.place or str(folder),
        folder=str(folder),
        repository=str(desk.around.common_dir),
        stdin_file=str(folder / PROMPT_FILE),
        log_file=str(folder / "log"),
        timeout_s=profile.timeout_s,
        output_bytes=profile.output_bytes,
        kill_grace_s=desk.settings_of(batch).stall.kill_grace_s,
        secrets=secret_names,
        usage=profile.usage,
        caps=amounts_of(desk.current.budget.run),
        head_of=job.place,
    )
    runner.start(order, env, prompt)


class Reader(Struct, frozen=True, kw_only=True):
    """An agent that works from the story of a whole batch: which one, and what it is shown."""

    agent: str
    tier: Tier
    prompt: str
    """The template's name."""
    shown: Callable[[BatchStory], str]
    identity: Mapping[str, str] = {}
    """Variables that it finds beside those of every errand."""


def start_reader(desk: Desk, job: Job, reader: Reader) -> None:
    """Start the agent of a claimed errand on its batch's story; nothing where its profile has gone meanwhile."""
    batch = desk.state.batches[job.batch]
    profile = profile_for(desk, batch, reader.agent, reader.tier)
    if isinstance(profile, str):
        return
    story = batch_story(desk.around.store, desk.around.lander, batch, desk.settings_of(batch))
    prompt = render_batch_prompt(reader.prompt, batch.id, batch.base or "", job.commit, reader.shown(story))
    start_errand(desk, job, profile, prompt.encode(), reader.identity)


def settle_errand(desk: Desk, job: Job, end: RunEnd, sentence: str, take: Callable[[Draft], None]) -> None:
    """Record in one transaction that an errand has ended, what it cost and what `take` makes of it; then clear away."""

    def intent(draft: Draft) -> None:
        if not is_current(draft, job):
            return
        paid = errand_costs(draft, desk, job, end)
        draft.note(EventName.PROGRESS, sentence, *paid, removed=[job], batch=job.batch, issue=job.issue)
        take(draft)

    desk.record(intent)
    give_suite_tree_back(desk, job)
    forget_job(desk, job)


def _identity(job: Job, batch: Batch, folder: Path) -> dict[str, str]:
    return {
        "GITSCHED_BATCH": job.batch,
        "GITSCHED_JOB": job.run,
        "GITSCHED_GEN": str(job.gen),
        "GITSCHED_RUN": f"{job.batch}/{job.run}/{job.gen}",
        "GITSCHED_WORKTREE": job.place or "",
        "GITSCHED_INTEGRATION": batch.integration.branch,
        "GITSCHED_BASE": batch.base or job.commit,
        "GITSCHED_PROMPT_FILE": str(folder / PROMPT_FILE),
        "GITSCHED_REPORT": str(folder / REPORT_FILE),
    }
