"""Secrets: which paths look as if they held one, so that we never commit them of our own accord.

The name decides, never the content: a path that looks like a secret is left where it is and named. What an agent
committed itself is its own act. The names are those that tools document for their keys, tokens and settings.
"""

from fnmatch import fnmatchcase

_DATA = ("json", "yml", "yaml", "toml", "ini", "conf", "cfg", "txt", "xml", "csv", "properties", "enc")
_SECRET_NAMES = (
    *(".env", ".env.*", "*.env", ".envrc"),
    *(".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", ".git-credentials"),
    *(".dockercfg", ".vault-token", ".terraformrc", "*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdbx", "*.mobileprovision"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *("*credentials.json", "*service-account*.json", "*service_account*.json", "kubeconfig", "*.kubeconfig"),
    *("credentials", "secrets"),
    *(f"{stem}.{kind}" for stem in ("credential", "credentials", "secret", "secrets") for kind in _DATA),
)
_SECRET_PLACES = (".aws/", ".ssh/", ".gnupg/", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml")
_HARMLESS = ("*.example", "*.sample", "*.template", "*.tmpl", "*.dist", "*.pub")
"""Forms to fill in, and public halves."""


def secret_looking(path: str) -> bool:
    """Say whether a path, from the root of the repository, looks as if it held a secret."""
    folded = path.casefold()
    name = folded.rsplit("/", 1)[-1]
    if _is_any(name, _HARMLESS):
        return False
    return _is_any(name, _SECRET_NAMES) or any(f"/{place}" in f"/{folded}" for place in _SECRET_PLACES)


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
