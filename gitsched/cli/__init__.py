"""The command line: one verb one file, plain arguments in, exit code out.

A verb parses, calls and shows. It holds no rule of its own.
"""
