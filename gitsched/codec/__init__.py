"""How it is written down: values to canonical bytes and back, unknown fields kept.

Only bytes and values live here; where the bytes are stored is an adapter's business.
"""
