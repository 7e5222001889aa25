"""The state, run, keep, evidence and notes refs: compare-and-swap transactions over git objects.

No policy lives here: what a transaction writes is decided above and handed in.
"""
