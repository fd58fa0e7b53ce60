"""The stepper's page: its payload, its cursor, breakpoints, and two runs compared."""
