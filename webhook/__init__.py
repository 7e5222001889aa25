"""The webhook service: a GitHub App that turns deliveries into engine input.

It verifies, stores and pokes; every fact is read again by the engine.
"""
