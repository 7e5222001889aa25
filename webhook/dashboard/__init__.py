"""The dashboard: pages that only look, live by server-sent events. Nothing here writes."""
