"""Tests with other packages: ``make test-neighbours`` runs them in an environment of its own."""
