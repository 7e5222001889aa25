"""Performers: one function per effect. Each asks its ports, asks policy what it means, and records it.

The table from effect to performer stands in `gitsched.engine.perform.table`. A performer re-checks in its transaction
that what was decided still holds; where it does not, it changes nothing and the next pass decides again.
"""
