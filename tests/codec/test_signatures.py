"""Signatures of manifests: whose they are, and that they stand for one manifest of one batch alone."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

from gitsched.codec.signatures import public_half, read_signing_key, sign_manifest, signer_of

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = f"{public_half(KEY)} ada@example.org"
OTHER = public_half(Ed25519PrivateKey.from_private_bytes(bytes(32)))
MANIFEST = b'{"runs/1/0/log": {}}\n'


def written(form: PrivateFormat, protection: KeySerializationEncryption) -> bytes:
    return KEY.private_bytes(Encoding.PEM, form, protection)


@pytest.mark.parametrize("form", [PrivateFormat.OpenSSH, PrivateFormat.PKCS8])
def test_a_key_is_read_in_both_forms(form: PrivateFormat) -> None:
    assert public_half(read_signing_key(written(form, NoEncryption()))) == public_half(KEY)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no key",
        b"-----BEGIN OPENSSH " + b"PRIVATE KEY-----\nAAAA\n-----END OPENSSH " + b"PRIVATE KEY-----\n",
        written(PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")),
        generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    ],
    ids=["empty", "text", "torn", "protected", "rsa"],
)
def test_what_is_no_key_of_ours_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_signing_key(content)


def test_a_signature_names_its_key() -> None:
    signature = sign_manifest(KEY, "b1", MANIFEST)
    assert signer_of("b1", MANIFEST, signature, [OTHER, PUBLIC]) == PUBLIC
    assert signer_of("b1", MANIFEST, signature, [OTHER]) is None
    assert signer_of("b1", MANIFEST, signature, []) is None


def test_it_stands_for_nothing_else() -> None:
    """Neither another manifest, another batch, another key's name on it, nor half of it."""
    signature = sign_manifest(KEY, "b1", MANIFEST)
    words = signature.split()
    flipped = base64.b64encode(bytes([base64.b64decode(words[2])[0] ^ 1, *base64.b64decode(words[2])[1:]]))
    assert signer_of("b1", MANIFEST + b" ", signature, [PUBLIC]) is None
    assert signer_of("b2", MANIFEST, signature, [PUBLIC]) is None
    assert signer_of("b1", MANIFEST, None, [PUBLIC]) is None
    assert signer_of("b1", MANIFEST, signature.replace(words[1], OTHER.split()[1].encode()), [OTHER]) is None
    assert signer_of("b1", MANIFEST, b" ".join([*words[:2], flipped]), [PUBLIC]) is None
    assert signer_of("b1", MANIFEST, b" ".join([*words[:2], b"!"]), [PUBLIC]) is None
    assert signer_of("b1", MANIFEST, b"\xff", [PUBLIC]) is None
