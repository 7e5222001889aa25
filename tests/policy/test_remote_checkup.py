from gitsched.policy.checkup import Checkup
from gitsched.policy.diagnose import diagnose
from gitsched.policy.precondition import Level
from gitsched.policy.remote_checkup import RemoteLook


def told(**fields: object) -> dict[str, str]:
    look = RemoteLook(name="origin", **fields)  # type: ignore[arg-type]
    checks = diagnose(Checkup(git_version=(2, 39, 0), remote=look))
    assert all(check.level is Level.GREEN for check in checks if check.code.startswith("remote-"))
    return {check.code: check.message for check in checks if check.code.startswith("remote-")}


def test_the_push_budget_is_shown() -> None:
    assert told(pushes_per_minute=6)["remote-budget"].endswith("at most 6 pushes a minute go there.")
    assert told()["remote-budget"].endswith("pushes are free.")


def test_what_leaves_this_machine_is_shown() -> None:
    assert told(is_discreet=True)["remote-privacy"].startswith("Logs, evidence and rescued work stay here")
    assert told()["remote-privacy"] == "Logs, evidence and rescued work go to 'origin' with everything else."


def test_without_a_remote_nothing_is_said() -> None:
    assert not [check for check in diagnose(Checkup(git_version=(2, 39, 0))) if check.code.startswith("remote-")]
