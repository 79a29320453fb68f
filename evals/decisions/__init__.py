"""Whether decisions outlive changes of their document (`python -m evals.decisions`), and cases of reviewed drafts."""
