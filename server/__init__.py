"""The place where people work: builds, drafts in review, the registry, in a browser."""
