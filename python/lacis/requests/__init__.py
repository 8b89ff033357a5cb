"""What the engine is asked for: options of managers, workloads, traffic as arrays, lanes."""
