"""From reality to contract: a file a source."""
