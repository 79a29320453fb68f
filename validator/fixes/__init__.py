"""What repairs a workflow: the patches that findings carry, how they are applied, and what primers complete."""
