"""The compiler: documents to procedures, procedures to drafts. `pipeline` tells the story; `build` runs it."""
