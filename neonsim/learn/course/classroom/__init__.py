"""For teachers: grade books, nbgrader's sheets, own exercises, a copy of the course."""
