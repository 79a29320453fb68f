"""Many clients at once against a server that is killed in the middle."""
