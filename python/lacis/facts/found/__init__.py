"""What the engine finds: findings and their facts, cabling work, settings, odd levels; one type for the library and for JSON."""
