"""Signatures of evidence: Ed25519 over a batch's name and its manifest, with keys in the form of OpenSSH.

A signature file holds one line: the type of the key, the public key, and the signature in Base64. What is signed
begins with words of its own and the batch, so that no signature stands for anything else.

Source: RFC 8032; RFC 8709 and sshd(8) for the form of a public key.
"""

import base64
import binascii
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_SAYS: Final = b"gitsched evidence manifest, version 1\n"


def read_signing_key(content: bytes) -> "Ed25519PrivateKey":
    """Read a private key, as `ssh-keygen -t ed25519` writes it or as PEM. Raises ValueError for any other."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_private_key

    load = load_ssh_private_key if b"BEGIN OPENSSH" in content else load_pem_private_key
    try:
        key = load(content, password=None)
    except (TypeError, UnsupportedAlgorithm) as wrong:
        raise ValueError("it is protected by a passphrase, or of an unknown kind") from wrong
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("it is no Ed25519 key")  # noqa: TRY004 - what was read, not what was passed
    return key


def public_half(key: "Ed25519PrivateKey") -> str:
    """Write a key's public half as OpenSSH does, without a comment."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def sign_manifest(key: "Ed25519PrivateKey", batch: str, manifest: bytes) -> bytes:
    """Sign a manifest: the content of its signature file."""
    signature = base64.b64encode(key.sign(_signed(batch, manifest))).decode()
    return f"{public_half(key)} {signature}\n".encode()


def signer_of(batch: str, manifest: bytes, signature: bytes | None, keys: Iterable[str]) -> str | None:
    """Name the one of the public keys by which a manifest is signed; None: by none of them."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key

    words = (signature or b"").decode("utf-8", "replace").split()
    signer = next((key for key in keys if len(words) == 3 and key.split()[:2] == words[:2]), None)
    if signer is None:
        return None
    public = load_ssh_public_key(signer.encode())
    assert isinstance(public, Ed25519PublicKey), "the configuration takes no other"
    try:
        public.verify(base64.b64decode(words[2], validate=True), _signed(batch, manifest))
    except (InvalidSignature, binascii.Error):
        return None
    return signer


def _signed(batch: str, manifest: bytes) -> bytes:
    return _SAYS + batch.encode() + b"\0" + manifest
