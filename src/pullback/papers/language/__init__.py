"""The nested lambda-terms in which the algorithms of the papers are written."""
