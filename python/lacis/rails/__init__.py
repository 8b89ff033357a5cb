"""Several rails: where they are, what libraries do with them, and what a job's log says of them."""
