"""What commands show, as text for people and as JSON for programs; imported only when something is shown."""
