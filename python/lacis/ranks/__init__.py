"""Which hosts take part, and in which order."""
