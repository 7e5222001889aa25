"""Signatures of deliveries: HMAC-SHA-256 over the raw body, by any secret of a list.

Source: docs.github.com, "Validating webhook deliveries". The older header with SHA-1 is not looked at.
"""

import hashlib
import hmac
import re
from collections.abc import Sequence
from typing import Final

HEADER: Final = "X-Hub-Signature-256"
_FORM: Final = re.compile(r"sha256=([0-9a-f]{64})")


def is_signed(body: bytes, header: str | None, secrets: Sequence[bytes]) -> bool:
    """Say whether one of the secrets signed the body; every secret is tried, whichever fits."""
    found = _FORM.fullmatch(header or "")
    if found is None:
        return False
    given = found[1]
    fits = [hmac.compare_digest(hmac.new(secret, body, hashlib.sha256).hexdigest(), given) for secret in secrets]
    return any(fits)
