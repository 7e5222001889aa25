"""Start, watch, wake by and end processes: agents, workers and their groups on this host."""
