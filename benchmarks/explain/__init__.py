"""`lacis explain` and its peers on synthetic measurements whose faults are known."""
