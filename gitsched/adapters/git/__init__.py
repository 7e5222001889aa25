"""The only owner of pygit2 and of the git process: objects, refs, merges, worktrees as values."""
