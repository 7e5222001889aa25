"""What to do: pure questions over state, facts and settings, each in a module of its own.

Each module lists its rules in its docstring. Nothing here acts, waits or asks the outside world.
"""
