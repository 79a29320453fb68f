"""Tells other systems of ends of runs and of tasks, by webhooks that are signed, retried and never lost."""
