"""What an act presupposes without a word for a condition: a permission its case, a report its event, care no act."""
