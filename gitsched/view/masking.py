"""Mask what is written in the form of a credential, so that no page, report or request repeats it.

The forms are those that their makers document. What has none, such as a password, cannot be told from a word.

Sources: docs.github.com "About authentication to GitHub"; docs.gitlab.com "Token overview"; docs.aws.amazon.com
"IAM identifiers"; api.slack.com "Token types"; docs.npmjs.com "About access tokens"; RFC 7468, 7519 and 3986 (3.2.1).
"""

import re
from typing import Final

MASK: Final = "***"

_CREDENTIAL: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"gh[oprsu]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{30,255}"
    r"|gl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_.-]{20,255}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|xox[a-z]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{10,255}"
    r"|AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"
    r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}"
    r"|sk-[A-Za-z0-9_-]{20,255}"
    r"|npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])|pypi-[A-Za-z0-9_-]{50,1000}|hf_[A-Za-z0-9]{30,255}"
    r"|eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,4000}"
    r")"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
    r"|(?<=://)[^\s/@:]{0,256}:[^\s/@]{1,256}(?=@)"
)


def masked(text: str) -> str:
    """Give the text with every credential that it shows replaced by `***`."""
    while (shown := _CREDENTIAL.sub(MASK, text)) != text:
        text = shown  # one that ran into its neighbour is seen only now
    return text
