"""`python -m gitsched` is `gitsched`."""

from gitsched.cli.main import main

main()
