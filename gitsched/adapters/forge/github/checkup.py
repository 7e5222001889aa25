"""The doctor's look at GitHub: a handful of calls, each of which may be what is wrong."""

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.forge import GitHubForge
from gitsched.domain.ids import integration_branch
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import ConfigError
from gitsched.policy.forge_checkup import ForgeLook


def look_at(forge: GitHubForge, target: str) -> ForgeLook:
    """Look at the repository, what this credential may do there, and what the target's rules are."""
    try:
        identity = forge.repository.reopen()
        answer = forge.repository.get("")
    except (DeniedError, ConfigError, UnfitAnswerError) as wrong:
        return ForgeLook(denial=str(wrong))
    except UnansweredError as wrong:
        return ForgeLook(reach_fault=wrong.detail)
    rules = forge.rules(target)
    rights = answer.body.get("permissions") if isinstance(answer.body, dict) else None
    return ForgeLook(
        full_name=identity.full_name,
        configured=identity.configured,
        is_archived=identity.is_archived,
        can_push=bool(rights.get("push")) if isinstance(rights, dict) else None,
        login=identity.login,
        skew_s=forge.wire.skew_s,
        prefix_rules=forge.against_pushes(integration_branch("doctor")),
        rules=None if isinstance(rules, Unreachable) else rules,
    )
