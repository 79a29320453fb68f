"""The commands of flowc. The modules here are light; what a command needs is imported when it runs."""
