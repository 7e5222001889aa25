"""The only place that knows which adapter stands behind which port."""
