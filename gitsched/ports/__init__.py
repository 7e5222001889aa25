"""What the engine needs from outside, as small Protocols that speak in domain values.

A port says what each call promises and which answers are ordinary; it holds no code that runs.
"""
