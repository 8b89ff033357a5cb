"""Omni-Path's fabric manager and its configuration."""
