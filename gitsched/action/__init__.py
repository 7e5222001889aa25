"""The GitHub Action: one event worked off, one tick, a summary; state survives the runner."""
