"""What an agent's own output says of its end: usage, used-up budgets, provider errors, announced waits.

One reader per value of `usage` in `[agents.NAME]`; each module names the documentation of the stream it
reads. Only the *end* of the output decides on errors: what an agent said on the way is its own affair. A
reader is given the output of one run and nothing else.
"""

from gitsched.codec.usage.findings import Findings
from gitsched.codec.usage.reading import read_output

__all__ = ["Findings", "read_output"]
