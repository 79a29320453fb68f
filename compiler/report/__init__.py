"""What people look at: pictures of workflows, review pages, a build's front page, and files written whole."""
