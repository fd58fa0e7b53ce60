"""Pictures of networks and models: classification, roofline, tasks, model errors."""
