"""In-order and out-of-order pipelines, the memory hierarchy, and loops that are cut short exactly."""
