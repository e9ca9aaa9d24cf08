"""What a module says, read by the repairs and by the audit after them; nothing is changed here."""
