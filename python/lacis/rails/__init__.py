"""Hosts with several rails: where these are, what libraries do with them, and what a job's log says."""
