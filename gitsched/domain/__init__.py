"""Pure values: words, records, state machines, events, effects and outcomes.

Nothing here does I/O, reads a clock or knows how a record is written down. Every other floor may
import this one; it imports `gitsched.errors` alone.
"""
