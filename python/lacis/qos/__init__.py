"""Lanes of links, and how they take turns."""
