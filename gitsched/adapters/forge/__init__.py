"""Where issues and pull requests live: the embedded forge in this repository, and GitHub."""
