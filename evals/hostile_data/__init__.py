"""Whether flowc stands any data: answers of a model, recordings, corrections, prices, catalogs, settings."""
