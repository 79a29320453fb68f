"""What people look at while runs go on: the inbox of somebody, and where a run stands."""
