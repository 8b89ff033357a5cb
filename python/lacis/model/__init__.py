"""What traffic gets under given tables: predicted from flows, and simulated packet by packet."""
