"""Cables and nodes that fail and come back: one event, or every failure alone."""
