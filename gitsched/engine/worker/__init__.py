"""The worker: starts one command, keeps its log, and records how it ended, whoever watches.

It waits on events only (output, a child's end, a signal) and on the next limit; it polls nothing and writes
the run ref when it claims the run, when the command has started, and when it has ended.
"""
