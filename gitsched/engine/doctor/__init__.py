"""The doctor: looks at a clone through the ports, and mends what has one right answer."""
