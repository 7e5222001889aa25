"""A stateful fake GitHub on loopback: REST, GraphQL and git on one port.

    def test_something(hub: Hub) -> None:
        repo = hub.repository("acme/shop")                     # a bare repository with one commit on main
        repo.issue(3, title="Fix total", body=None, labels=["bug"], milestone="batch/1")
        repo.block(4, by=3)                                    # a native dependency
        forge = ...(api_url=hub.api_url, token=hub.token("ada"), repository="acme/shop")

Fixtures (`from tests.github.fixtures import hub, own_hub` into a conftest): `hub`, and `own_hub(follows=clock.now,
is_enterprise=True)` for a hub that follows a Clock port or has its API at `/api/v3`.

Where: `hub.api_url` (PyGithub's `base_url`), `hub.web_url`, `repo.clone_url` (git, the token as password).
Who: `hub.token("ada")` (a person's), `hub.token("ada", {"issues": "read"})` (fine-grained), `hub.app.token()` (an
installation's), `hub.app.id`, `hub.app.private_key` (PEM), `hub.app.installation.id`, `hub.app.grant(issues="read")`,
`hub.app.expire_tokens()`, `hub.app.suspend()`. Apps own their comments as `hub.app.login`.
Roles: `repo.role("bob", "maintain")`; people without one read public repositories.

What others do (tests/github/fake/verbs.py): `repo.issue(n, …)`, `label`, `unlabel`, `close`, `reopen`, `comment`,
`block`, `part`, `delete_issue`, `transfer_issue`; `repo.commit(branch, {path: text})`, `repo.tip(branch)`,
`delete_branch`, `protect(contexts=("ci",), approvals=1, queue=True, …)`; `repo.pull(source)`, `merge_by_person(n,
"squash")`, `review(n, by, state)`, `merge_queue(n)`, `drop_from_queue(n, reason)`, `fork(owner)`; `check(sha, name,
conclusion)`, `status(sha, context, state)`, `deploy(sha, state)`, `rename`, `transfer`, `delete`;
`hub.delete_user("bob")` makes a ghost. Plain values: `repo.model.issues[3]`, `repo.pulls()`.

What goes wrong (tests/github/fake/faults.py), each with `method=`, `path=` and `text=` (patterns), `after=`,
`times=`: `hub.lose_reply()` acts and cuts, `hub.cut()` cuts before acting, `hub.spoil(502)` acts and answers an
error, `hub.answer(500)`, `hub.double()`, `hub.delay(seconds)`, `hub.hold()` … `.release()`, `hub.limit("primary" |
"secondary", 403 | 429, retry_after=30)`, `hub.forbid()`, `hub.down()` … `.stop()`; `hub.lag(reads=2, path="/pulls")`
for lists that lag a write, `hub.looks_until_mergeable`, `hub.clock.skew_s`, `hub.limits` (core, writes_per_minute,
status).

What was asked: `hub.audit.calls()` (a Counter of `GET /repos/{owner}/{repo}/issues`), `requests(method, path)`,
`writes()`, `leaks(secret)`, `clear()`. Time stands still but for a second at each write; `hub.clock.advance(60)`
moves it.

Events: `hub.hooks.listener = lambda headers, body: 202` hears each delivery, signed with
`hub.app.model.webhook_secret`, while the hub is busy: it must not call the hub. `hub.world.deliveries` keeps them all;
without a listener they failed.

Every exchange and every payload is looked up in GitHub's published description, once `make descriptions` has fetched
it; the fixture fails the test that does not fit.
"""
