"""Facts: what is the case, as fields of a closed kind; and their words, once for all faces."""
