"""Advice: what to run instead of what runs now, as bundles of configuration and files that can be loaded and taken back."""
