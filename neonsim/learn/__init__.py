"""The course and the notebook: exercises, grading, the classroom, stepper, magics."""
