"""The claim by which an App shows who it is: a JSON Web Token, signed with its private key (RFC 7519, RS256)."""

import base64
from typing import Any

import msgspec

from gitsched.errors import ConfigError

BACKDATED_S, GOOD_S = 60, 480
"""GitHub takes a claim of at most ten minutes; it is dated back for clocks that run ahead."""


def app_claim(issuer: str, private_key: str, now_s: int) -> str:
    """Make the claim. Raises ConfigError for a key that is none."""
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    signed = f"{_part({'alg': 'RS256', 'typ': 'JWT'})}.{_part(_claims(issuer, now_s))}"
    signature = _key(private_key).sign(signed.encode(), PKCS1v15(), SHA256())
    return f"{signed}.{_encoded(signature)}"


def _claims(issuer: str, now_s: int) -> dict[str, Any]:
    return {"iat": now_s - BACKDATED_S, "exp": now_s + GOOD_S, "iss": issuer}


def _key(text: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    asked = "An App's private key was to be used."
    try:
        key = load_pem_private_key(text.encode(), password=None)
    except (ValueError, TypeError) as wrong:
        raise ConfigError(
            asked, "It is no private key in PEM form.", "Download a new one from the App's page."
        ) from wrong
    if not isinstance(key, RSAPrivateKey):
        raise ConfigError(asked, "It is no RSA key.", "Download a new one from the App's page.")
    return key


def _part(values: dict[str, Any]) -> str:
    return _encoded(msgspec.json.encode(values))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
