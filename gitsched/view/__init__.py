"""How it reads: every sentence, table and page a person sees, as a function from values to text."""
