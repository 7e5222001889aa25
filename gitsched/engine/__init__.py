"""Perform effects and record their events: the tick, the loops around it, intake and the worker.

What to do is asked of `policy`; how it is done is asked of a port.
"""
