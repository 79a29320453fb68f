"""Who carries out the nodes of systems: by the name of the executor that a version binds a node to."""
