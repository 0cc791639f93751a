"""What Stipula costs, each figure beside a named peer or budget in the same run."""
