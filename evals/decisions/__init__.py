"""Whether decisions about a draft outlive changes of its document: `python -m evals.decisions`."""
