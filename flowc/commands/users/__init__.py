"""Commands about who acts: users and tokens."""
