"""Cases of a workflow as people judge them, whatever they sit before."""
