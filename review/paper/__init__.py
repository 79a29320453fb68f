"""A short report on a procedure for people who never see its graph, as Word document and as printable page."""
