"""What the specialiser knows of values: kinds, abstract values, joins and conversions."""
