"""The vocabulary of subnet managers: engines and options."""
