"""Protocols: what the engine asks of the outside world.

One small Protocol per neighbour; adapters implement them, tests hold a contract suite against each. Expected
answers are values of `gitsched.domain`; exceptions mean that the job could not be done.
"""
