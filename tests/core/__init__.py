"""Tests of the language: the table, the evaluator, the checker, the walks, the printer."""
