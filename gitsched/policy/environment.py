"""The environment of an agent or a check: everything but what is the driver's own, or looks like a secret.

A profile's `env` names what passes all the same. A variable looks like a secret by a word of its name, or by its
value: an address with a password or token in it, or what a well-known service's tokens look like. Nobody's variables
reach git: a hook that started the driver would point a child at its own repository.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

_WORDS: Final = frozenset(
    {
        *("AUTH", "AUTHORIZATION", "BEARER", "CREDENTIAL", "CREDENTIALS", "CREDS", "COOKIE", "COOKIES", "DSN", "JWT"),
        *("KEY", "KEYS", "MNEMONIC", "PASS", "PASSCODE", "PASSPHRASE", "PASSWD", "PASSWORD", "PAT", "PRIVATE", "PWD"),
        *("SECRET", "SECRETS", "SIGNATURE", "TOKEN", "TOKENS", "WEBHOOK"),
    }
)
_LAST_WORDS: Final = ("_OTP", "_PSK", "_PW", "_SAS", "_TOTP")
"""Telling at the end of a name only: at its beginning they are products."""
_PARTS: Final = (
    *("TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSFILE", "CREDENTIAL", "ASKPASS", "KEYRING"),
    *("ACCESSKEY", "APIKEY", "ENCRYPTIONKEY", "MASTERKEY", "PRIVATEKEY", "PRIVKEY", "SIGNINGKEY", "SSHKEY", "SSLKEY"),
    *("CONNECTION_STRING", "CONNECTIONSTRING", "CONN_STR", "CONNSTR"),
)
_ENDS: Final = ("PASS", "PWD")
"""Of a word: SSHPASS, LFTP's and others that write a name and what it is as one."""
_OF_ORDINARY_ENDS: Final = frozenset({"BYPASS", "COMPASS", "ENCOMPASS", "SURPASS", "TRESPASS"})
_FOLDERS: Final = frozenset({"PWD", "OLDPWD"})
"""A shell's own: where it works."""
_NAMES: Final = ("BW_SESSION", "OP_SESSION_", "KRB5CCNAME", "VSCODE_GIT_IPC_")
"""Beginnings of names that say nothing of what they open: vaults, tickets, an editor's answers to git."""
_TELLING: Final = re.compile(
    r"://[^/@\s:]*:[^/@\s]+@"  # an address with a password
    r"|(?i:https?|ftps?)://[^/@\s:]+@"  # with a token before its host
    r"|[?&](?i:(?:access_|auth_|api_)?(?:token|key)|sig|signature|secret|password|x-amz-signature)=[^&\s]"
    r"|(?i:AccountKey|SharedAccessKey|SharedAccessSignature|password|pwd)=[^;\s]+"  # a connection string
    r"|\A(?:gh[pousr]_|github_pat_|glpat-|sk-|sk_live_|rk_live_|xox[abprs]-|npm_|pypi-|hf_|AIza|AKIA|ASIA)[\w-]{10,}\Z"
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\."  # a signed statement (RFC 7519)
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
"""What a value looks like that is one, whatever its variable is called (as the services document their tokens)."""
_FOREIGN_PREFIXES: Final = ("GIT_", "GITSCHED_", "ACTIONS_", "SSH_AUTH_", "GPG_AGENT_")
_NEVER_NAMED: Final = ("GITSCHED_", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE")
"""What would point a child at another repository or run does not pass by name either."""
_TEST_CLOCK: Final = "GITSCHED_TEST_CLOCK"


def agent_environment(
    base: Mapping[str, str], named: Sequence[str], identity: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Build the whole environment of a child, and list the variables whose values must not be kept.

    `named` are the variables that a profile or check lets through, `identity` says who the child is and wins.
    Secrets are those of `named` that look like one; the rest of `named` is ordinary text.
    """
    passed = {name: value for name, value in base.items() if _passes(name, value, named)}
    secrets = tuple(name for name in named if name in passed and looks_secret(name, passed[name]))
    return {**passed, **identity}, secrets


def looks_secret(name: str, value: str = "") -> bool:
    """Say whether a variable looks as if it held a secret."""
    upper = name.upper()
    return (upper not in _FOLDERS and _is_telling(upper)) or _TELLING.search(value) is not None


def _is_telling(name: str) -> bool:
    if name.startswith(_NAMES) or name.endswith(_LAST_WORDS) or any(part in name for part in _PARTS):
        return True
    words = name.split("_")
    return any(word in _WORDS or (word.endswith(_ENDS) and word not in _OF_ORDINARY_ENDS) for word in words)


def _passes(name: str, value: str, named: Sequence[str]) -> bool:
    if name == _TEST_CLOCK:
        return True
    if name in named:
        return not name.startswith(_NEVER_NAMED)
    return not name.upper().startswith(_FOREIGN_PREFIXES) and not looks_secret(name, value)
