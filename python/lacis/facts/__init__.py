"""Facts in words, once: numbers, counts, what is wrong and what to do."""
