"""Settings as frozen values, and the pure parser that turns `gitsched.toml` text into them.

Reading the file is an adapter's work; here text comes in and settings, or a refusal with line and
key, go out.
"""
