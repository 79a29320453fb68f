"""A build with one draft, to be reviewed."""

from pathlib import Path

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from ir.decisions.decision import FILE, read_decisions
from review.draft import ReviewDraft, drafts_of, open_draft

POLICY = """# Release of goods

1. The clerk enters the order in the register.
2. The manager approves the order within 3 days. If the manager approves it, the clerk releases the goods; otherwise the
order ends.
3. If the amount exceeds 5000 EUR, the director approves the order.
4. The clerk must not release the goods without a label.
5. The storekeeper sends the papers to the customer.
6. Smoking is prohibited in the store.
"""


class Bench:
    """A folder with one policy that is compiled, reviewed, changed and compiled again."""

    def __init__(self, root: Path, policy: str = POLICY) -> None:
        self.root, self.file, self.out = root, root / "policies" / "release.md", root / "out"
        self.file.parent.mkdir(parents=True)
        self.file.write_text(policy, encoding="utf-8")
        self.compile()

    def compile(self) -> None:
        """Compile with what was decided until now, as the command does."""
        beside = self.file.with_name(FILE)
        listed = read_decisions(beside.read_text("utf-8"), FILE) if beside.is_file() else ()
        settings = Settings(embedder="lexical", syntax=False, decisions=listed)
        write_build(compile_documents(self.file.parent, settings), self.out)

    def change(self, was: str, now: str) -> None:
        """Change words of the policy, which stand once, and compile again."""
        text = self.file.read_text("utf-8")
        assert text.count(was) == 1
        self.file.write_text(text.replace(was, now), encoding="utf-8")
        self.compile()

    @property
    def draft(self) -> ReviewDraft:
        """The draft with all that was decided."""
        return open_draft(self.out, drafts_of(self.out)[0])
