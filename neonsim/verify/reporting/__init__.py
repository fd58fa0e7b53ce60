"""What machines read of results: annotations of GitHub, JUnit, SARIF; the schema of what --json prints."""
