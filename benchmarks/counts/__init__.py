"""Instructions that pieces of the core's work take, counted by callgrind: beside seconds, they are the same in each run."""
