"""The outside world behind the ports: git, the store, forges, runners, checks, clock and processes.

Adapters do not know one another, but for git, which the others stand on.
"""
