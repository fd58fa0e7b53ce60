"""Pictures of data in memory: packing, indirection, NC4HW4, cache sets."""
