"""The commands of `flowc`, a module each."""
