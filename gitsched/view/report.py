"""Write a batch's report as Markdown: the same story always gives the same text (`gitsched report <batch> --md`)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gitsched.domain.counting import how_many
from gitsched.domain.ids import evidence_ref
from gitsched.domain.story import BatchStory, MemberStory
from gitsched.view.markdown import cell, code, escaped
from gitsched.view.parts import NEEDED, Part, heading, joined
from gitsched.view.searched import SearchStory
from gitsched.view.sections import (
    flaky_parts,
    landed_parts,
    left_parts,
    names,
    suite_line,
    verdict_lines,
    warning_parts,
)

UNKNOWN: Final = "unknown"
_MICROS = 1_000_000
_MAX_COMMAND = 600


def render_report(story: BatchStory, found: Sequence[SearchStory] = ()) -> str:
    """Tell the whole story of a batch: state, members, what landed and left, suite, search, costs, evidence, journal.

    `found` are its searches, oldest first.
    """
    return joined(tuple(_parts(story, found)))


def _parts(story: BatchStory, found: Sequence[SearchStory]) -> Iterator[Part]:
    yield Part(NEEDED, f"# Batch {code(story.batch.id)}\n")
    yield from _lines(_facts(story))
    yield from _section("Members", ("| | issue | state | reason | gen |\n|---|---|---|---|---|", *_rows(story)))
    yield from landed_parts(story)
    yield from left_parts(story)
    yield from _section("To see it fail", _failing(story))
    yield from flaky_parts(story)
    yield from warning_parts(story)
    yield from _section("Suite", _suite(story))
    for search in found:
        yield from _section("Search", _search(search))
    yield from _section("Costs", ("| issue | runs | money | tokens | agent |\n|---|---|---|---|---|", *_costs(story)))
    yield from _section("Evidence", _evidence(story))
    yield from _section("Kept", (f"- {escaped(line, 300)}" for line in story.batch.leftovers))
    yield from _section("Journal", (f"- {code(line.at)} {escaped(line.sentence, 300)}" for line in story.journal))


def _facts(story: BatchStory) -> Iterator[str]:
    batch = story.batch
    yield f"- state: {code(batch.status)}" + (f", {code(batch.reason)}" if batch.reason else "")
    yield f"- target: {code(batch.target)}" + (f", from {code(batch.base)}" if batch.base else "")
    head = f" at {code(batch.integration.head)}" if batch.integration.head else ""
    yield f"- integration branch: {code(batch.integration.branch)}{head}"
    if batch.pr is not None:
        merged = f" as {code(batch.pr.merge_commit)}" if batch.pr.merge_commit else ""
        yield f"- pull request: #{batch.pr.number}, {code(batch.pr.state)}{merged}"
    yield f"- from {code(batch.created_at or UNKNOWN)} to {code(batch.updated_at or UNKNOWN)}"


def _rows(story: BatchStory) -> Iterator[str]:
    for member in story.members:
        record = member.member
        exit_ = story.exit_of(record.issue) if member.has_left else None
        reason = record.reason or (exit_.reason if exit_ is not None else "")
        why = cell(code(reason)) if reason else ""
        issue = f"#{record.issue} {escaped(record.title, 80)}"
        run = str(record.gen) if record.gen >= 0 else "none"
        yield f"| {record.index} | {issue} | {code(record.status)} | {why} | {run} |"


def _suite(story: BatchStory) -> Iterator[str]:
    yield from (f"- {line}" for line in verdict_lines(story))
    for number, run in enumerate(story.batch.suite, 1):
        took = f"{run.duration_ms / 1000:.1f} s"
        where = f"; evidence {code(run.evidence)}" if run.evidence else ""
        yield f"- run {number}, generation {run.generation}, {took}: {suite_line(run)}{where}"


def _failing(story: BatchStory) -> Iterator[str]:
    for exit_ in story.batch.evictions:
        if exit_.reproduce:
            yield f"- #{exit_.issue}: {code(exit_.reproduce, _MAX_COMMAND)}"


def _search(search: SearchStory) -> Iterator[str]:
    """Tell what each run had in its tree and what it came to; a conclusion names whom it is about."""
    asked = names(search.failing) if search.failing else "the whole suite"
    yield f"Asked of {asked}: {how_many(search.run_count, 'run')}; the rest was known already.\n"
    yield "| run | with | came to | what it means |\n|---|---|---|---|"
    for row in search.rows:
        held = ", ".join(f"#{issue}" for issue, is_in in zip(search.members, row.held, strict=True) if is_in)
        run = (row.purpose or "conclusion") + (" (known)" if row.cached else "")
        means = f"{row.sentence}. {row.evidence}" if row.evidence and not row.purpose else row.sentence
        yield f"| {run} | {held or 'nobody'} | {code(row.outcome)} | {cell(escaped(means, 300))} |"


def _costs(story: BatchStory) -> Iterator[str]:
    for member in story.members:
        yield f"| #{member.member.issue} | {_spent(member.member.usage)} |"
    yield f"| together | {_spent(_sum(story.members))} |"


def _spent(usage: dict[str, int]) -> str:
    """Tell runs, money, tokens and time; what some run did not tell is said to be at least that much."""
    runs, unknown_count = usage.get("runs", 0), usage.get("unknown_runs", 0)
    mark = "≥ " if unknown_count else ""
    money = f"{mark}${usage['usd_micros'] / _MICROS:.2f}" if "usd_micros" in usage else UNKNOWN
    tokens = f"{mark}{usage['tokens']}" if "tokens" in usage else UNKNOWN
    agent = f"{usage['agent_ms'] / 1000:.1f} s" if "agent_ms" in usage else UNKNOWN
    told = f"{runs} ({unknown_count} unknown)" if unknown_count else str(runs)
    return f"{told} | {money if runs else '-'} | {tokens if runs else '-'} | {agent if runs else '-'}"


def _sum(members: Iterable[MemberStory]) -> dict[str, int]:
    total: dict[str, int] = {}
    for member in members:
        for key, value in member.member.usage.items():
            total[key] = total.get(key, 0) + value
    return total


def _evidence(story: BatchStory) -> Iterator[str]:
    if story.evidence:
        yield f"In {code(evidence_ref(story.batch.id))}:\n"
        yield from (f"- {code(path)}" for path in sorted(story.evidence))


def _section(title: str, lines: Iterable[str]) -> Iterator[Part]:
    found = tuple(lines)
    if found:
        yield heading(title)
        yield from _lines(found)


def _lines(lines: Iterable[str]) -> Iterator[Part]:
    return (Part(NEEDED, line) for line in lines)
