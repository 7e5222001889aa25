"""Deliveries: worked off one by one, each a hint where to look; what gets lost is found by looking without a hint."""
