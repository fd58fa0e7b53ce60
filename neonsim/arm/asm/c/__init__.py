"""C for Arm through a cross compiler: its options, what it may read, prototypes."""
