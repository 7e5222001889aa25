"""Commands of comments, from the Markdown to the answer: one intake, whichever way a comment comes in."""
