"""The demo: a small real project, agents that are scripts, and one of everything that can go wrong.

`project/` holds the project's files (each with `.txt` behind its name, so that no tool takes them for ours),
`issues/` the issues that are imported, `work/` what the agents do about them.
"""
