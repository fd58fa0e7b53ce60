"""Pictures of registers, lanes, pipelines, distributions."""
