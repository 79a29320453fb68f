"""How long a click takes on a long draft's page, beside a short draft's: `python -m evals.clicks`."""
