"""The Differentiable Curry (Vytiniotis et al.)."""
