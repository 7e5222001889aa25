"""The tests of gitsched: real git, no network, no sleeps, no mocks.

They mirror the package: `tests/<floor>/test_<module>.py`. `tests/house` looks after the house itself.
"""
