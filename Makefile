# Gates and benchmarks; both use the virtual environment that README.md sets up, else the python on the path.
PYTHON ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)

.PHONY: check lint test bench recall accept documents

check: lint test

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"

test:
	$(PYTHON) -m pytest

# rewrites the expected outputs of fixtures; review the difference
accept:
	$(PYTHON) -m pytest --accept

bench:
	$(PYTHON) -m evals.bench
	$(PYTHON) -m evals.faults
	$(PYTHON) -m evals.faults --kill

# how often search finds the right Node Type, in and across languages
recall:
	$(PYTHON) -m evals.recall

# makes the documents of the cases anew from their texts
documents:
	$(PYTHON) fixtures/cases/hazmat-transport/make_documents.py
