"""Comments that are heard: who may, what runs, how often, and what is answered."""

import pytest

from gitsched.config.services import Role as ConfiguredRole
from gitsched.domain.commands import CommandVerb, Fate, Person, Reaction, Role
from gitsched.domain.words import BatchStatus as B
from gitsched.domain.words import EntryStatus
from gitsched.engine.commands.verbs import SERVED
from gitsched.errors import TemporaryError
from gitsched.policy.commands import NEEDED, is_enough
from tests.commands.conftest import Hall
from tests.commands.talk import BOT

EVE = Person(id=66, login="eve")
LATER = "2030-01-01T00:00:00.000Z"


def test_a_command_runs_in_its_author_name_and_is_acknowledged(hall: Hall) -> None:
    heard = hall.say("Let us go.\n\n/gitsched enqueue priority=7", number=3)
    assert (heard.accepted_count, heard.refused_count, heard.answer) == (1, 0, "")
    assert (hall.entry(3).status, hall.entry(3).priority) == (EntryStatus.QUEUED, 7)
    assert hall.talk.reactions[1000] == [Reaction.SEEN, Reaction.FULFILLED]
    assert hall.talk.answers == {}
    assert hall.row().is_answered
    accepted = next(entry for entry in hall.store.history() if entry.events[-1].name == "command-accepted")
    assert accepted.actor == "ada"
    assert [event.name for event in accepted.events] == ["enqueued", "command-accepted"]
    assert hall.woken == 1


def test_a_comment_without_a_command_is_nothing(hall: Hall) -> None:
    before = hall.store.read(), hall.store.tip
    assert hall.say("I like it. /gitsched stop would be wrong.").ignored == "no-command"
    assert (hall.store.read(), hall.store.tip) == before
    assert hall.talk.reactions == {}


def test_an_edit_never_runs_and_a_deletion_never_undoes(hall: Hall) -> None:
    """W-16: edited from hello to a command; a comment that is deleted after it was read."""
    hall.enqueue(1)
    spoken = hall.talk.say(1, "hello")
    assert hall.hear(spoken).ignored == "no-command"
    assert hall.hear(hall.talk.edit(spoken.comment, "/gitsched stop", LATER)).ignored == "edited"
    assert hall.entry(1).status is EntryStatus.QUEUED
    paused = hall.talk.say(1, "/gitsched pause")
    hall.hear(paused)
    del hall.talk.comments[paused.comment]
    assert hall.hear(paused).accepted_count == 1
    assert hall.state.control.paused


@pytest.mark.parametrize("by", [BOT, Person(id=5, login="dependabot[bot]", is_bot=True)])
def test_bots_are_not_heard(hall: Hall, by: Person) -> None:
    """W-17: neither our own App nor another bot."""
    assert hall.say("/gitsched pause", by=by).ignored == "bot"
    assert not hall.state.control.paused
    assert hall.row().ignored == "bot"
    before = hall.store.tip
    hall.hear(hall.talk.comments[1000])
    assert (hall.store.read(), hall.store.tip)[1] == before


def test_the_help_holds_nothing_that_runs(hall: Hall) -> None:
    """W-17: the service's own help comment shows every command, and is read as a comment of a person would be."""
    hall.say("/gitsched help")
    shown = hall.answer()
    assert "`/gitsched stop [#n\\|BATCH] [at=…]`" in shown
    assert hall.say(shown).ignored == "no-command"


def test_no_verb_runs_by_its_beginning(hall: Hall) -> None:
    """W-18: an unknown verb is answered once with the nearest known one."""
    hall.enqueue(1)
    heard = hall.say("/gitsched stopall\n/gitsched-stop\n/gitsched merged")
    assert (heard.accepted_count, heard.refused_count) == (0, 2)
    assert hall.entry(1).status is EntryStatus.QUEUED
    assert "Did you mean `/gitsched stop`?" in hall.answer()
    assert len(hall.talk.answers) == 1
    assert hall.talk.reactions[1000] == [Reaction.SEEN, Reaction.REFUSED]


def test_values_are_typed_and_a_bad_one_enqueues_nothing(hall: Hall) -> None:
    """W-19: the allowed form is named."""
    hall.say("/gitsched enqueue files=src/*_test*.py priority=7")
    assert hall.entry(1).files == ("src/*_test*.py",)
    hall.say("/gitsched enqueue priority=abc", number=2)
    assert 2 not in hall.state.entries
    assert "a whole number from" in hall.answer(2, 1001)


def test_rights_decide_and_a_plain_comment_gets_no_answer(hall: Hall) -> None:
    """W-20: a person with read rights."""
    heard = hall.say("/gitsched pause", by=EVE, role=Role.READ)
    assert heard.refused_count == 1
    assert not hall.state.control.paused
    assert "takes the role write, and yours here is read" in hall.answer()
    hall.say("Hello.", by=EVE)
    assert len(hall.talk.answers) == 1


def test_a_right_is_the_number_s_and_of_this_moment(hall: Hall) -> None:
    """W-21: renamed, re-registered, withdrawn; letter case never matters."""
    hall.enqueue(1)
    hall.enqueue(2)
    hall.talk.roles[7] = Role.WRITE
    renamed, taker = Person(id=7, login="Ada-Lovelace"), Person(id=8, login="ADA")
    assert hall.say("/gitsched stop", number=2, by=taker, role=Role.NONE).refused_count == 1
    assert hall.say("/gitsched stop", by=renamed).accepted_count == 1
    assert (hall.entry(1).status, hall.entry(2).status) == (EntryStatus.STOPPED, EntryStatus.QUEUED)
    spoken = hall.talk.say(2, "/gitsched stop", by=renamed)
    hall.talk.roles[7] = Role.TRIAGE
    assert hall.hear(spoken).refused_count == 1
    assert set(hall.talk.asked) == {7, 8}


def test_a_command_is_bound_to_what_its_author_saw(hall: Hall) -> None:
    """W-22: an older generation, or a head that was not seen, is refused with the line that confirms it."""
    hall.enqueue(1, 2)
    hall.bring("b1", B.AWAITING_MERGE)
    generation = hall.batch("b1").generation
    hall.say(f"/gitsched ship at={generation - 1}")
    assert hall.shipped == []
    assert f"`/gitsched ship at={generation}` confirms it" in hall.answer()
    hall.say("/gitsched ship b1 at=0123abc")
    assert hall.shipped == []
    assert f"`/gitsched ship b1 at={generation}` confirms it" in hall.answer(comment=1001)
    hall.say("/gitsched ship at=zzz")
    assert "neither a generation nor the beginning of a commit" in hall.answer(comment=1002)
    hall.say(f"/gitsched ship at={generation}")
    assert hall.shipped == ["b1"]


def test_a_command_runs_once_whichever_way_it_comes(hall: Hall) -> None:
    """W-23: webhook, poll and Action, also after a restart, and after a death before the acknowledgement."""
    hall.enqueue(1)
    spoken = hall.talk.say(1, "/gitsched hold\n/gitsched stop")
    hall.hear(spoken)
    assert hall.entry(1).status is EntryStatus.STOPPED
    hall.enqueue(1)
    for _ in range(2):
        assert hall.hear(spoken).accepted_count == 2
    assert (hall.entry(1).status, hall.entry(1).hold) == (EntryStatus.QUEUED, None)
    names = [str(event.name) for entry in hall.store.history() for event in entry.events]
    assert names.count("command-accepted") == 2


def test_what_was_cut_off_is_taken_up_where_it_stopped(hall: Hall) -> None:
    """W-23: the forge was not there in the middle."""
    hall.enqueue(1)
    spoken = hall.talk.say(1, "/gitsched why\n/gitsched hold")
    hall.talk.is_reachable = False
    with pytest.raises(TemporaryError):
        hall.hear(spoken)
    assert [line.line for line in hall.row().lines] == [1]
    hall.talk.is_reachable = True
    assert hall.hear(spoken).accepted_count == 2
    assert "1 is queued" in hall.answer()
    assert hall.entry(1).hold == "operator"


def test_all_lines_are_read_first_and_answered_once(hall: Hall) -> None:
    """W-25: each known one against freshly read state; of six none runs."""
    hall.enqueue(1)
    heard = hall.say("/gitsched pause\n/gitsched stop\n/gitsched frobnicate")
    assert (heard.accepted_count, heard.refused_count) == (2, 1)
    assert hall.state.control.paused
    assert hall.entry(1).status is EntryStatus.STOPPED
    assert [line.fate for line in hall.row().lines] == [Fate.ACCEPTED, Fate.ACCEPTED, Fate.REFUSED]
    assert list(hall.talk.answers) == [(1, "gitsched:answer:1000")]
    heard = hall.say("\n".join(["/gitsched resume"] * 6))
    assert (heard.accepted_count, heard.refused_count) == (0, 6)
    assert hall.state.control.paused
    assert hall.answer(comment=1001).count("This comment holds 6 commands.") == 1


def test_members_are_ordered_before_the_seal_and_not_after(hall: Hall) -> None:
    """W-26: the second half: the order of a forming batch."""
    hall.enqueue(4, 9, 2, leave_open=True, batch="login")
    hall.say("/gitsched order #9 #4 #2", number=4)
    assert hall.order("login") == [9, 4, 2]
    assert [hall.member("login", issue).index for issue in (9, 4, 2)] == [1, 2, 3]
    assert hall.member("login", 9).branch == "gitsched/login/m1-i9"
    hall.say("/gitsched order login #2")
    assert hall.order("login") == [2, 9, 4]
    hall.say("/gitsched start", number=4)
    assert hall.batch("login").status is B.READY
    hall.say("/gitsched order #4 #9", number=4)
    assert "member order is fixed when a batch is sealed" in hall.answer(4, 1003)
    assert hall.order("login") == [2, 9, 4]


COMMANDS = {
    CommandVerb.ENQUEUE: "enqueue #5",
    CommandVerb.START: "start open",
    CommandVerb.ORDER: "order open #4 #3",
    CommandVerb.PAUSE: "pause",
    CommandVerb.RESUME: "resume",
    CommandVerb.STOP: "stop #1",
    CommandVerb.ABANDON: "abandon ready",
    CommandVerb.REQUEUE: "requeue #2",
    CommandVerb.EVICT: "evict #7",
    CommandVerb.HOLD: "hold #1",
    CommandVerb.UNHOLD: "unhold #6",
    CommandVerb.PRIORITY: "priority #1 9",
    CommandVerb.APPROVE: "approve TOKEN",
    CommandVerb.SHIP: "ship done",
    CommandVerb.UNDO: "undo",
    CommandVerb.HELP: "help",
    CommandVerb.STATUS: "status",
    CommandVerb.WHY: "why #1",
}


def furnished(hall: Hall) -> None:
    """Bring units where every command can be given."""
    for issue in (1, 2, 6):
        hall.enqueue(issue)
    hall.form_solo(2)
    hall.evict("i2", 2)
    hall.talk.roles[1] = Role.ADMIN
    hall.say("/gitsched hold #6", by=Person(id=1, login="root"))
    hall.enqueue(3, 4, batch="open", leave_open=True)
    hall.enqueue(7, 8, batch="ready")
    hall.bring("ready", B.EXECUTING)
    hall.enqueue(9, batch="done", leave_open=True)
    hall.bring("done", B.AWAITING_MERGE)
    hall.book("open")
    hall.say("/gitsched hold #1", by=Person(id=1, login="root"))


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_matrix_of_rights(hall: Hall, verb: CommandVerb) -> None:
    """W-21: every verb by every role; the weakest that may is the table's."""
    furnished(hall)
    needed = NEEDED[verb]
    for number, role in enumerate(Role):
        command = COMMANDS[verb].replace("TOKEN", hall.token())
        heard = hall.say(f"/gitsched {command}", by=Person(id=200 + number, login=f"p{number}"), role=role)
        comment = max(hall.talk.comments)
        refusal = hall.answer(comment=comment)
        if is_enough(role, needed):
            assert "takes the role" not in refusal
            if role is needed:
                assert heard.accepted_count == 1, refusal
        else:
            assert heard.refused_count == 1
            assert f"takes the role {needed}, and yours here is {role}" in refusal


def test_the_matrix_covers_every_verb_that_is_served() -> None:
    assert COMMANDS.keys() == SERVED.keys() == set(CommandVerb)
    assert NEEDED.keys() == set(CommandVerb)


@pytest.mark.parametrize(("configured", "role"), [("anyone", Role.NONE), ("admin", Role.ADMIN)])
def test_the_configuration_may_say_otherwise(hall: Hall, configured: ConfiguredRole, role: Role) -> None:
    hall.settings = hall.settings_with(commands={"pause": configured})
    assert hall.say("/gitsched pause", by=EVE, role=Role.MAINTAIN).refused_count == (role is Role.ADMIN)


def test_old_rows_leave_the_ledger_and_old_comments_are_not_heard(hall: Hall) -> None:
    long_ago = "2001-01-01T00:00:00.000Z"
    hall.talk.now = long_ago
    assert hall.say("/gitsched pause").ignored == "too-old"
    assert set(hall.state.heard) == {1000}
    hall.talk.now = hall.clock.now()
    hall.say("/gitsched pause")
    assert set(hall.state.heard) == {1001}


def test_nothing_in_an_answer_runs_or_notifies(hall: Hall) -> None:
    hall.say("/gitsched enqueue batch=@org/team")
    hall.say("/gitsched [click](http://example.org) <img src=x>")
    hall.say("/gitsched frob`/gitsched")
    assert "@org" not in hall.answer()
    for answer in hall.talk.answers.values():
        assert hall.say(answer).ignored == "no-command"
