"""Who signs a clone's evidence: whoever has the key that the configuration names."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gitsched.config.settings import Settings
from gitsched.errors import ConfigError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from gitsched.adapters.store.store import GitStore


class EvidenceSigner:
    """Signs manifests of which the one before was signed too, by this key or one that is trusted.

    What somebody else wrote in between is never signed by us: a signature vouches for all manifests before it.
    """

    def __init__(self, file: Path, trusted: tuple[str, ...]) -> None:
        """Use the private key in a file; it is read when it is needed first."""
        self._file = file
        self._trusted = trusted

    @cached_property
    def key(self) -> "Ed25519PrivateKey":
        """Read the key. Raises ConfigError where that is not possible, or others can read it too."""
        from gitsched.codec.signatures import read_signing_key

        asked, remedy = f"Evidence was to be signed with '{self._file}'.", "`evidence.sign_key` names it."
        try:
            if self._file.stat().st_mode & 0o077:
                raise ConfigError(asked, "Others than its owner can read it.", f"`chmod 600 {self._file}`.")
            return read_signing_key(self._file.read_bytes())
        except (OSError, ValueError) as wrong:
            raise ConfigError(asked, f"That is not possible: {wrong}.", remedy) from wrong

    def __call__(self, batch: str, before: bytes | None, signature: bytes | None, manifest: bytes) -> bytes | None:
        """Sign a batch's manifest; None where the one before is not vouched for."""
        from gitsched.codec.signatures import public_half, sign_manifest, signer_of

        keys = (public_half(self.key), *self._trusted)
        if before is not None and signer_of(batch, before, signature, keys) is None:
            return None
        return sign_manifest(self.key, batch, manifest)


def signer_for(settings: Settings, root: Path) -> EvidenceSigner | None:
    """Give who signs where the configuration names a key; a relative path begins at the checkout's top."""
    chosen = settings.evidence
    return EvidenceSigner(root / Path(chosen.sign_key).expanduser(), chosen.keys) if chosen.sign_key else None


def with_signer(store: "GitStore", settings: Settings, root: Path) -> "GitStore":
    """Give the store as one that signs, where the configuration names a key."""
    store.sign_manifest = signer_for(settings, root)
    return store


def check_key(settings: Settings, root: Path) -> None:
    """Read the key that signs evidence, before anything depends on it. Raises ConfigError where that fails."""
    signer = signer_for(settings, root)
    if signer is not None:
        signer.key  # noqa: B018  # read once, for its error
