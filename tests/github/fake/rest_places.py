"""Repositories, people and their rights, rules of branches, limits, and what the service is."""

from typing import Any

from tests.github.fake import callers, shapes_pulls
from tests.github.fake.calls import Answer, AnsweredError, Call
from tests.github.fake.clock import stamp
from tests.github.fake.model import Protection, Repository, User
from tests.github.fake.paging import paged
from tests.github.fake.routes import route
from tests.github.fake.shapes import Json

REPO = "/repos/{owner}/{repo}"
FOLDED = {"maintain": "write", "triage": "read"}
LADDER = ("pull", "triage", "push", "maintain", "admin")
RIGHTS = {"read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}


@route("GET", REPO)
def repository(call: Call) -> Answer:
    shown = call.hub.shapes(call.world, call.version).full_repository(call.repository)
    actor = call.actor
    if actor is not None:
        granted = actor.token.permissions if actor.token else None
        if granted is None:
            role = role_of(call.repository, actor.user.id)
        else:
            role = "write" if granted.get("contents") == "write" else "read"
        shown["permissions"] = _rights(role)
    return Answer(shown)


def role_of(place: Repository, user_id: int) -> str:
    return "admin" if user_id == place.owner_id else place.roles.get(user_id, "none" if place.is_private else "read")


def _rights(role: str) -> dict[str, bool]:
    # A custom role stands on one of GitHub's own; here on write.
    level = 0 if role == "none" else RIGHTS.get(role, 3)
    return {name: at < level for at, name in enumerate(LADDER)}


@route("GET", f"{REPO}/collaborators/{{username}}/permission")
def permission(call: Call) -> Answer:
    """Show a person's right: `permission` folds maintain into write and triage into read, `role_name` does not."""
    user = call.world.user(call.parts["username"])
    if user is None:
        raise AnsweredError(404, "Not Found")
    role = role_of(call.repository, user.id)
    folded = FOLDED.get(role, role if role in {*RIGHTS, "none"} else "write")
    shown = call.hub.shapes(call.world, call.version).user(user)
    whole = {**shown, "role_name": role, "permissions": _rights(role)}
    return Answer({"permission": folded, "role_name": role, "user": whole})


@route("GET", f"{REPO}/collaborators")
def collaborators(call: Call) -> Answer:
    shapes = call.hub.shapes(call.world, call.version)
    people = [call.world.users[number] for number in call.repository.roles if number in call.world.users]
    return paged(people, lambda user: {**shapes.user(user), **_collaborator(call.repository, user)})


def _collaborator(place: Repository, user: User) -> Json:
    role = role_of(place, user.id)
    return {"role_name": role, "permissions": _rights(role)}


@route("GET", f"{REPO}/branches/{{branch}}", "contents:read")
def branch(call: Call) -> Answer:
    name, place = call.parts["branch"], call.hub.git(call.repository)
    sha = place.branch(name)
    if sha is None:
        raise AnsweredError(404, "Branch not found")
    shapes = call.hub.shapes(call.world, call.version)
    here = f"{shapes.place(call.repository)}/branches/{name}"
    protection = call.repository.protection(name)
    return Answer(
        {
            "name": name,
            "commit": shapes_pulls.commit(shapes, call.repository, place.commit(sha)),
            "_links": {"self": here, "html": f"{shapes.page(call.repository)}/tree/{name}"},
            "protected": protection is not None,
            "protection": {"enabled": protection is not None, "required_status_checks": _required(protection)},
            "protection_url": f"{here}/protection",
        }
    )


def _required(protection: Protection | None) -> Json:
    names = list(protection.contexts) if protection else []
    checks = [{"context": name, "app_id": None} for name in names]
    return {"enforcement_level": "non_admins" if names else "off", "contexts": names, "checks": checks}


@route("GET", f"{REPO}/branches", "contents:read")
def branches(call: Call) -> Answer:
    here = call.hub.shapes(call.world, call.version).place(call.repository)
    refs = call.hub.git(call.repository).refs("refs/heads/")

    def shown(ref: str) -> Json:
        sha, name = refs[ref][1], ref.removeprefix("refs/heads/")
        commit = {"sha": sha, "url": f"{here}/commits/{sha}"}
        return {"name": name, "commit": commit, "protected": call.repository.protection(name) is not None}

    return paged(list(refs), shown)


@route("GET", f"{REPO}/branches/{{branch}}/protection", "administration:read")
def protection(call: Call) -> Answer:
    """Show a classic protection; it needs a right that an App seldom has."""
    found = call.repository.protection(call.parts["branch"])
    if found is None or found.as_ruleset:
        raise AnsweredError(404, "Branch not protected")
    here = f"{call.hub.api_url}{call.path}"
    reviews = {
        "url": f"{here}/required_pull_request_reviews",
        **{"dismiss_stale_reviews": found.dismiss_stale, "require_code_owner_reviews": False},
        **{"required_approving_review_count": found.approvals, "require_last_push_approval": found.last_push_approval},
    }
    required = {"url": f"{here}/required_status_checks", "strict": found.strict, **_required(found)}
    required["contexts_url"] = f"{here}/required_status_checks/contexts"
    return Answer(
        {
            "url": here,
            "required_status_checks": required,
            **({"required_pull_request_reviews": reviews} if found.approvals else {}),
            "enforce_admins": {"url": f"{here}/enforce_admins", "enabled": True},
            "required_linear_history": {"enabled": found.linear},
            "allow_force_pushes": {"enabled": found.allow_force},
            "required_signatures": {"url": f"{here}/required_signatures", "enabled": found.signatures},
        }
    )


@route("GET", f"{REPO}/rules/branches/{{branch}}")
def rules(call: Call) -> Answer:
    """Show what rulesets ask of a branch, existing or not; classic protection does not stand here."""
    found = call.repository.protection(call.parts["branch"])
    every = _rules(found) if found and found.as_ruleset else []
    of = {
        "ruleset_source_type": "Repository",
        "ruleset_source": call.world.full_name(call.repository),
        "ruleset_id": 42,
    }
    return paged(every, lambda rule: {**rule, **of})


def _rules(found: Protection) -> list[Json]:
    told: list[Json] = []
    if found.contexts:
        checks = [{"context": name} for name in found.contexts]
        given: Json = {"required_status_checks": checks, "strict_required_status_checks_policy": found.strict}
        told.append({"type": "required_status_checks", "parameters": given})
    if found.approvals or found.no_direct_push:
        told.append({"type": "pull_request", "parameters": _review_rule(found)})
    for name, asked in (("required_linear_history", found.linear), ("required_signatures", found.signatures)):
        told += [{"type": name}] if asked else []
    told += [] if found.allow_force else [{"type": "non_fast_forward"}]
    if found.queue:
        told.append({"type": "merge_queue", "parameters": _queue_rule()})
    return told


def _review_rule(found: Protection) -> Json:
    return {
        "allowed_merge_methods": list(found.methods),
        "dismiss_stale_reviews_on_push": found.dismiss_stale,
        "require_code_owner_review": False,
        "require_last_push_approval": found.last_push_approval,
        "required_approving_review_count": found.approvals,
        "required_review_thread_resolution": False,
    }


def _queue_rule() -> Json:
    numbers = {"max_entries_to_build": 5, "max_entries_to_merge": 5, "min_entries_to_merge": 1}
    waits = {"check_response_timeout_minutes": 60, "min_entries_to_merge_wait_minutes": 5}
    return {**numbers, **waits, "grouping_strategy": "ALLGREEN", "merge_method": "MERGE"}


# -------------------------------------------------------------------------- people and the service


def _whole_user(call: Call, user: User) -> Json:
    at = stamp(0)
    blank: Json = dict.fromkeys(("name", "company", "blog", "location", "email", "hireable", "bio"))
    counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    shown = call.hub.shapes(call.world, call.version).user(user)
    return {**shown, **blank, **counts, "user_view_type": "public", "created_at": at, "updated_at": at}


@route("GET", "/user", "")
def me(call: Call) -> Answer:
    actor = call.who
    if actor.token is None or actor.token.installation_id is not None:
        raise AnsweredError(403, "Resource not accessible by integration")
    return Answer(_whole_user(call, actor.user))


@route("GET", "/users/{username}", "")
def user(call: Call) -> Answer:
    found = call.world.user(call.parts["username"])
    if found is None:
        raise AnsweredError(404, "Not Found")
    return Answer(_whole_user(call, found))


@route("GET", "/user/{account_id}", "")
def user_by_id(call: Call) -> Answer:
    number: Any = call.parts["account_id"]
    found = call.world.users.get(int(number)) if number.isdigit() else None
    if found is None:
        raise AnsweredError(404, "Not Found")
    return Answer(_whole_user(call, found))


@route("GET", "/rate_limit", "")
def rate_limit(call: Call) -> Answer:
    figures = call.hub.limits.figures(callers.name_of(call.actor), call.hub.now_s())
    free = {"limit": 30, "remaining": 30, "reset": figures["reset"], "used": 0}
    resources = {"resources": {"core": figures, "search": free, "graphql": figures}}
    is_new = call.hub.shapes(call.world, call.version).is_new
    return Answer(resources if is_new else {**resources, "rate": figures})


@route("GET", "/meta", "")
def meta(call: Call) -> Answer:
    return Answer({"verifiable_password_authentication": False, "hooks": ["127.0.0.0/8"], "git": ["127.0.0.0/8"]})
