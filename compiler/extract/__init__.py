"""From a document to procedures: two readers behind one contract."""
