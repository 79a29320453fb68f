"""What programs ask for by REST: the acts of `agents.acts`, tasks and the registry, described by OpenAPI."""
