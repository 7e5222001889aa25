"""Hygiene: the care of a store between and beside the engine's work: `fsck`, `gc`."""
