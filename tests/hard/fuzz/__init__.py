"""Coverage-guided fuzzing of everything that reads texts: `python -m tests.hard.fuzz [TARGET ...] --seconds 60`."""
