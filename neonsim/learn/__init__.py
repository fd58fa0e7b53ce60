"""The course: exercises, grading, classroom; the notebook's stepper and magics."""
