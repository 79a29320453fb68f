"""What runs come to whose workers are killed, and whether the audit shows what is done to it."""
