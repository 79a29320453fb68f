"""What people decide about drafts: whereof, as what operation, by whom."""
