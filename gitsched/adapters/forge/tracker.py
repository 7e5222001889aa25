"""What people do at the local forge: open, edit, close and import issues, comment, close a pull request.

Every act is one commit of `refs/gitsched/forge`, in the name of who did it, and done again after a lost race.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from gitsched.adapters.forge.ledger import Ledger, Writing
from gitsched.adapters.forge.local import OPEN_STATES, unknown
from gitsched.adapters.git.objects import Objects, open_repository
from gitsched.adapters.git.treeref import Shared
from gitsched.codec.frontmatter import parse_issue_file
from gitsched.domain.forge import Comment, Issue, IssueDraft, PullRequestView, title_fault
from gitsched.domain.words import PullRequestState
from gitsched.errors import RefusedError, UsageError
from gitsched.ports.runner import Clock
from gitsched.view.clean import one_line

_SHOWN_TITLE = 70


class Tracker:
    """The local forge as one person uses it."""

    def __init__(
        self, repository: Path, clock: Clock, author: str, *, fsync: bool = True, shared: Shared | None = None
    ) -> None:
        """Act at the repository at that path, in the name of `author`; `shared` where the forge is a remote's."""
        self._ledger = Ledger(Objects(open_repository(repository)), fsync=fsync, shared=shared)
        self._clock = clock
        self._author = author

    def new_issue(self, draft: IssueDraft) -> int:
        """Open an issue and give its number. Raises UsageError for a title that is none."""
        return self._open((_checked(draft),))[0]

    def import_issues(self, files: Iterable[tuple[str, str]]) -> tuple[int, ...]:
        """Open one issue for each Markdown file, given as name and text, and give their numbers in order.

        All or none: a file that does not parse raises UsageError, and nothing is written. Importing a file
        again opens another issue; a number is never taken from a file.
        """
        drafts = tuple(_checked(parse_issue_file(text, name)) for name, text in files)
        return self._open(drafts)

    def edit_issue(
        self,
        number: int,
        *,
        add_labels: Sequence[str] = (),
        remove_labels: Sequence[str] = (),
        title: str | None = None,
        body: str | None = None,
    ) -> Issue:
        """Change an issue; what is not named stays. Raises UnknownUnitError and UsageError."""

        def edit(issue: Issue) -> Issue:
            labels = (*issue.labels, *map(_text, add_labels))
            kept = tuple(dict.fromkeys(label for label in labels if label not in remove_labels))
            return replace(
                issue,
                labels=kept,
                title=issue.title if title is None else _title(title),
                body=issue.body if body is None else _text(body),
            )

        return self._change_issue(number, edit, f"Edit issue {number}")

    def close(self, number: int, *, as_not_planned: bool = False) -> None:
        """Close an issue, or a pull request without merging it; a closed one stays as it is."""
        self._set_open(number, is_open=False, as_not_planned=as_not_planned)

    def reopen(self, number: int) -> None:
        """Open an issue or a pull request again. Raises RefusedError for a merged one."""
        self._set_open(number, is_open=True, as_not_planned=False)

    def comment(self, number: int, body: str) -> int:
        """Comment on an issue or pull request, and give the comment's id."""
        now = self._clock.now()

        def post(forge: Writing) -> int:
            home = forge.home(number)
            if home is None:
                raise unknown(number)
            comment = Comment(
                id=forge.take_comment_id(),
                issue=number,
                author=self._author,
                body=_text(body),
                created_at=now,
                updated_at=now,
            )
            forge.write_comment(home, comment, f"Comment on {number}")
            return comment.id

        return self._ledger.change(post, self._author, now)

    def issue(self, number: int) -> Issue:
        """Read an issue. Raises UnknownUnitError."""
        found = self._ledger.pages().issue(number)
        if found is None:
            raise unknown(number)
        return found

    def _open(self, drafts: Sequence[IssueDraft]) -> tuple[int, ...]:
        now = self._clock.now()

        def write(forge: Writing) -> tuple[int, ...]:
            return tuple(self._write_new(forge, draft, now) for draft in drafts)

        return self._ledger.change(write, self._author, now)

    def _write_new(self, forge: Writing, draft: IssueDraft, now: str) -> int:
        number = forge.take_number()
        issue = Issue(
            number=number,
            title=draft.title,
            body=draft.body,
            labels=draft.labels,
            deps=draft.deps,
            files=draft.files,
            milestone=draft.milestone,
            author=self._author,
            created_at=now,
            updated_at=now,
        )
        forge.write_issue(issue, f"Open issue {number}: {one_line(draft.title, _SHOWN_TITLE)}")
        return number

    def _set_open(self, number: int, *, is_open: bool, as_not_planned: bool) -> None:
        verb = "Reopen" if is_open else "Close"
        pull = self._ledger.pages().pull(number)
        if pull is not None:
            self._set_request_open(number, is_open=is_open)
            return

        def settle(issue: Issue) -> Issue:
            if issue.is_open == is_open:
                return issue
            return replace(issue, is_open=is_open, as_not_planned=as_not_planned and not is_open)

        self._change_issue(number, settle, f"{verb} issue {number}")

    def _set_request_open(self, number: int, *, is_open: bool) -> None:
        now = self._clock.now()

        def settle(forge: Writing) -> None:
            pull = forge.pull(number)
            if pull is None or (pull.state in OPEN_STATES) == is_open:
                return
            if pull.state is PullRequestState.MERGED:
                raise _is_merged(pull)
            state = PullRequestState.OPEN if is_open else PullRequestState.CLOSED
            sentence = f"{'Reopen' if is_open else 'Close'} pull request {number}"
            forge.write_pull(replace(pull, state=state, updated_at=now), sentence)

        self._ledger.change(settle, self._author, now)

    def _change_issue(self, number: int, edit: Callable[[Issue], Issue], sentence: str) -> Issue:
        now = self._clock.now()

        def write(forge: Writing) -> Issue:
            issue = forge.issue(number)
            if issue is None:
                raise unknown(number)
            edited = edit(issue)
            if edited == issue:
                return issue
            edited = replace(edited, updated_at=now)
            forge.write_issue(edited, sentence)
            return edited

        return self._ledger.change(write, self._author, now)


def _checked(draft: IssueDraft) -> IssueDraft:
    return replace(
        draft,
        title=_title(draft.title),
        body=_text(draft.body),
        labels=tuple(map(_text, draft.labels)),
        files=tuple(map(_text, draft.files)),
        milestone=None if draft.milestone is None else _text(draft.milestone),
    )


def _title(title: str) -> str:
    fault = title_fault(title)
    if fault is not None:
        raise UsageError(f"The title {one_line(title, 80)!r} was given.", f"It {fault}.", "Give one line of text.")
    return _text(title.strip())


def _text(text: str) -> str:
    """Make text storable: what stood for undecodable bytes of a command line becomes U+FFFD."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _is_merged(pull: PullRequestView) -> RefusedError:
    asked = f"Pull request {pull.number} was to be opened or closed."
    return RefusedError(asked, "It is merged.", f"`gitsched pr show {pull.number}` shows it.")
