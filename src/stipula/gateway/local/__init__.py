"""The model on this machine: its weights, its process, and what its template cannot do."""
