"""Run an agent on every queued issue, land the work in order, prove it and ship it.

The floors of this package, top to bottom; a module imports lower floors only:

    cli | action               thin faces: parse, call, show
    wiring                     the only place that knows which adapter is used
    engine | adapters          performs effects, loops, works | git, store, forge, runner, checks
    ports                      what the engine needs, as Protocols
    policy | view | codec      what to do | how it reads | how it is written down
    config                     settings and their parser
    domain                     values, tables, events, effects, outcomes
    errors                     one tree, drawn in its docstring

`webhook` is a package of its own beside this one, on the floor of the faces.
"""
