"""GraphQL on the fake: its schema is part of GitHub's, and what it answers is what REST answers."""

from pathlib import Path

import pytest
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLSchema, GraphQLUnionType, build_schema

from tests.github.asking import Asking
from tests.github.fake.description import FILE, MISSING
from tests.github.fake.graphql import schema
from tests.github.fake.hub import Hub

WHOLE = FILE.with_name("schema.graphql")
BUILT_IN = frozenset({"String", "Int", "Boolean", "ID", "Float"})
PULLS = """
query($owner: String!, $name: String!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $name) {
    id databaseId nameWithOwner isArchived defaultBranchRef { name target { oid } } autoMergeAllowed
    one: pullRequest(number: 1) { ...Seen }
    gone: pullRequest(number: 99) { id }
  }
}
fragment Seen on PullRequest {
  id number state isDraft headRefOid mergeable mergeStateStatus reviewDecision author { login }
  autoMergeRequest { enabledAt mergeMethod } mergeQueueEntry { state position } mergeCommit { oid }
  labels(first: 100) { nodes { name } }
  reviews(last: 50, states: [APPROVED]) { nodes { submittedAt commit { oid } } }
  commits(last: 1) { nodes { commit { oid statusCheckRollup { state contexts(first: 1) {
    nodes { __typename ... on CheckRun { name status conclusion } ... on StatusContext { context state } }
    pageInfo { hasNextPage endCursor }
  } } } } }
}
"""
READY = "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }"
DRAFT = "mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }"
AUTO = """
mutation($id: ID!, $head: GitObjectID) {
  enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: REBASE, expectedHeadOid: $head}) {
    pullRequest { autoMergeRequest { mergeMethod } }
  }
}
"""
ENQUEUE = (
    "mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { mergeQueueEntry { state position } } }"
)


@pytest.fixture(scope="module")
def whole() -> GraphQLSchema:
    if not Path(WHOLE).exists():
        pytest.skip(MISSING)
    return build_schema(WHOLE.read_text(), assume_valid=True)


def test_every_field_and_argument_is_githubs(whole: GraphQLSchema) -> None:
    strange = []
    for name, own in schema().type_map.items():
        theirs = whole.type_map.get(name)
        if name.startswith("__") or name in BUILT_IN:
            continue
        if theirs is None or type(own) is not type(theirs):
            strange.append(name)
        elif isinstance(own, GraphQLEnumType) and isinstance(theirs, GraphQLEnumType):
            strange += [f"{name}.{value}" for value in own.values.keys() - theirs.values.keys()]
        elif isinstance(own, GraphQLUnionType) and isinstance(theirs, GraphQLUnionType):
            strange += [f"{name}: {one}" for one in {*map(str, own.types)} - {*map(str, theirs.types)}]
        else:
            strange += _strange_fields(name, own, theirs)
    assert strange == []


def _strange_fields(name: str, own: object, theirs: object) -> list[str]:
    found = []
    for field, shape in getattr(own, "fields", {}).items():
        there = getattr(theirs, "fields", {}).get(field)
        if there is None or str(there.type) != str(shape.type):
            found.append(f"{name}.{field}: {shape.type}, not {getattr(there, 'type', None)}")
        elif not isinstance(own, GraphQLInputObjectType):
            given = {argument: str(of.type) for argument, of in shape.args.items()}
            known = {argument: str(of.type) for argument, of in there.args.items()}
            found += [f"{name}.{field}({argument})" for argument in given if given[argument] != known.get(argument)]
    return found


@pytest.fixture
def asking(hub: Hub) -> Asking:
    hub.repository("acme/shop")
    return Asking(hub, hub.app.token())


def test_a_pull_request_is_read_with_its_checks(hub: Hub, asking: Asking) -> None:
    repo = hub.repository("acme/shop")
    head = repo.commit("topic", {"a.txt": "x\n"})
    repo.pull("topic")
    repo.label(1, "batch")
    repo.review(1, "bob")
    repo.check(head, "unit", "failure")
    repo.status(head, "lint")
    told = asking.graphql(PULLS, owner="acme", name="shop")
    assert [error["type"] for error in told["errors"]] == ["NOT_FOUND"]
    assert told["errors"][0]["path"] == ["repository", "gone"]
    assert told["data"]["viewer"]["login"] == "gitsched[bot]"
    place = told["data"]["repository"]
    assert place["defaultBranchRef"] == {"name": "main", "target": {"oid": repo.tip()}}
    one = place["one"]
    assert (one["mergeable"], one["mergeStateStatus"]) == ("UNKNOWN", "UNKNOWN")
    assert one["reviews"]["nodes"][0]["commit"] == {"oid": head}
    rollup = one["commits"]["nodes"][0]["commit"]["statusCheckRollup"]
    assert rollup["state"] == "FAILURE"
    assert rollup["contexts"]["pageInfo"] == {"hasNextPage": True, "endCursor": "1"}
    again = asking.graphql(PULLS, owner="acme", name="shop")["data"]["repository"]["one"]
    assert (again["mergeable"], again["mergeStateStatus"]) == ("MERGEABLE", "UNSTABLE")


def test_drafts_are_turned_by_graphql_only(hub: Hub, asking: Asking) -> None:
    repo = hub.repository("acme/shop")
    repo.commit("topic", {"a.txt": "x\n"})
    issue = repo.pull("topic", is_draft=True)
    node = f"PR_{issue.id}"
    told = asking.graphql(READY, id=node)
    assert told["data"]["markPullRequestReadyForReview"]["pullRequest"] == {"isDraft": False}
    asking.graphql(DRAFT, id=node)
    assert issue.pull is not None
    assert issue.pull.is_draft
    repo.model.has_drafts = False
    assert asking.graphql(DRAFT, id=node)["errors"][0]["type"] == "UNPROCESSABLE"


def test_auto_merge_waits_for_the_required_check(hub: Hub, asking: Asking) -> None:
    repo = hub.repository("acme/shop")
    head = repo.commit("topic", {"a.txt": "x\n"})
    issue = repo.pull("topic", body="Closes #2")
    repo.issue(2)
    node = f"PR_{issue.id}"
    assert "not configured" in asking.graphql(AUTO, id=node)["errors"][0]["message"]
    repo.protect(contexts=("ci",))
    assert "modified" in asking.graphql(AUTO, id=node, head="0" * 40)["errors"][0]["message"]
    assert asking.graphql(AUTO, id=node, head=head)["data"]["enablePullRequestAutoMerge"]["pullRequest"] == {
        "autoMergeRequest": {"mergeMethod": "REBASE"}
    }
    assert issue.state == "open"
    repo.check(head, "ci", "failure")
    assert issue.state == "open"
    repo.check(head, "ci")
    assert issue.pull is not None
    assert issue.pull.merged_at is not None
    assert repo.model.issues[2].state == "closed"


def test_what_is_clean_cannot_be_asked_to_merge_later(hub: Hub, asking: Asking) -> None:
    repo = hub.repository("acme/shop")
    repo.commit("topic", {"a.txt": "x\n"})
    node = f"PR_{repo.pull('topic').id}"
    repo.protect()
    assert "clean status" in asking.graphql(AUTO, id=node)["errors"][0]["message"]
    repo.model.allow_auto_merge = False
    assert "not allowed" in asking.graphql(AUTO, id=node)["errors"][0]["message"]


def test_the_merge_queue_takes_merges_and_drops(hub: Hub, asking: Asking) -> None:
    repo = hub.repository("acme/shop")
    repo.commit("topic", {"a.txt": "x\n"})
    issue = repo.pull("topic")
    node = f"PR_{issue.id}"
    assert "not enabled" in asking.graphql(ENQUEUE, id=node)["errors"][0]["message"]
    repo.protect(queue=True)
    told = asking.graphql(ENQUEUE, id=node)["data"]["enqueuePullRequest"]
    assert told == {"mergeQueueEntry": {"state": "AWAITING_CHECKS", "position": 1}}
    repo.drop_from_queue(issue.number)
    asking.graphql(ENQUEUE, id=node)
    repo.merge_queue(issue.number)
    assert issue.pull is not None
    assert issue.pull.merge_commit == repo.tip()


def test_a_caller_without_the_right_changes_nothing(hub: Hub) -> None:
    repo = hub.repository("acme/shop")
    repo.commit("topic", {"a.txt": "x\n"})
    node = f"PR_{repo.pull('topic').id}"
    told = Asking(hub, hub.app.token(pull_requests="read")).graphql(DRAFT, id=node)
    assert told["errors"][0]["type"] == "FORBIDDEN"
    assert Asking(hub, hub.token("eve")).graphql(DRAFT, id=node)["errors"][0]["type"] == "FORBIDDEN"


def test_what_is_no_graphql_of_githubs_is_told(hub: Hub, asking: Asking) -> None:
    assert "Cannot query field" in asking.graphql("{ viewer { shoeSize } }")["errors"][0]["message"]
    assert "Parse error" in asking.graphql("{ viewer ")["errors"][0]["message"]
    unpaged = '{ repository(owner: "acme", name: "shop") { labels { totalCount } } }'
    assert "You must provide" in asking.graphql(unpaged)["errors"][0]["message"]


def test_issues_come_in_pages_newest_change_first(hub: Hub, asking: Asking) -> None:
    """G-37 (the fake's part): 150 issues of a GitHub milestone in two calls."""
    repo = hub.repository("acme/shop")
    for number in range(1, 151):
        repo.issue(number, milestone="batch/1", body=None)
    document = """
    query($after: String) { repository(owner: "acme", name: "shop") { milestone(number: 1) {
      issues(first: 100, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) {
        totalCount nodes { number body databaseId fullDatabaseId stateReason } pageInfo { hasNextPage endCursor }
      } } } }"""
    first = asking.graphql(document)["data"]["repository"]["milestone"]["issues"]
    assert (first["totalCount"], first["nodes"][0]["number"], first["nodes"][0]["body"]) == (150, 150, "")
    assert first["nodes"][0]["databaseId"] is None
    assert int(first["nodes"][0]["fullDatabaseId"]) > 2**31
    rest = asking.graphql(document, after=first["pageInfo"]["endCursor"])["data"]["repository"]["milestone"]["issues"]
    assert [found["number"] for found in rest["nodes"]] == list(range(50, 0, -1))


def test_graphql_has_a_limit_of_its_own(hub: Hub, asking: Asking) -> None:
    hub.limits.core = 1
    asking.graphql("{ viewer { login } }")
    told = asking.graphql("{ viewer { login } }")
    assert told["errors"][0]["type"] == "RATE_LIMITED"
    assert asking.get("/repos/acme/shop").status == 200
