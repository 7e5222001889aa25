"""The doctor's look at GitHub, on the whole engine."""

from tests.github.hub_world import HubWorld


def test_the_doctor_names_what_stands_against_our_branches_and_a_queue_that_nobody_checks(world: HubWorld) -> None:
    """A ruleset for all branches, and a merge queue whose required check runs for pull requests alone."""
    world.configure('[ship]\nmerge = "queue"\n')
    world.remote.protect(contexts=("ci",), queue=True)
    world.remote.protect("gitsched/doctor/integration", no_direct_push=True)
    workflows = world.repo / ".github/workflows"
    workflows.mkdir(parents=True)
    for events, level in (("[pull_request]", "amber"), ("[pull_request, merge_group]", None)):
        (workflows / "ci.yml").write_text(f"on: {events}\n")
        world.commit("Check pull requests")
        told = {check.code: check for check in world.doctor()}
        assert "pull_request" in told["github-prefix"].message
        assert (str(told["github-merge-group"].level) if "github-merge-group" in told else None) == level
