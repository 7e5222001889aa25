"""Intake: the operator's verbs. Each reads the forge first where it must, then makes one transaction.

A verb takes a frozen request and gives a frozen answer. What it refuses, it refuses with three sentences (what was
asked, what stands against it, a command that helps) and writes nothing: RefusedError for what is not allowed as things
stand, UsageError for what can never be meant. Units are named as people name them and looked up inside the transaction.
"""
