"""What is found out about a workflow before anything is judged: graph, types, uses, routes, outcomes, conditions."""
