"""The invented language pair of demo_corpus.py: words, clauses, sentences."""
