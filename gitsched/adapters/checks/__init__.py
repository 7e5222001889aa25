"""Run gates and suites and turn their exit, output and report into facts for a verdict."""
