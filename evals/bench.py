"""Where the time goes: parsing and the whole offline compile, beside plain text extraction; validating as it grows."""

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from catalog import load
from compiler.build.builder import compile_documents
from compiler.build.results import Build
from evals import bench_reading, growth

REPOSITORY = Path(__file__).resolve().parent.parent
CORPUS = REPOSITORY.parent / "shared" / "corpus"
CASE = REPOSITORY / "fixtures" / "cases" / "hazmat-transport" / "documents"


def main() -> int:
    """Print the table for each folder: pages, seconds, pages per second, seconds by pass, peak memory."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "folders", nargs="*", type=Path, help="folders to compile; the case and, where present, the corpus"
    )
    folders = parser.parse_args().folders or [folder for folder in (CASE, CORPUS) if folder.is_dir()]
    for folder in folders:
        for line in report(folder):
            print(line)  # noqa: T201
    print(_catalog_line())  # noqa: T201
    for line in bench_reading.report(sorted(f for folder in folders for f in folder.rglob("*.pdf"))):
        print(line)  # noqa: T201
    for line in growth.report():
        print(line)  # noqa: T201
    return 0


def _catalog_line() -> str:
    """Processor time of loading the shipped catalog, a hundred Types, at the best of three."""
    root, seconds = Path(load.__file__).parent, []
    for _ in range(3):
        started = time.process_time()
        catalog = load.load_catalog(root)  # by its folder, since the shipped one is kept
        seconds.append(time.process_time() - started)
    return f"load_catalog: {min(seconds) / len(catalog.node_types) * 100 * 1000:.0f} ms for a hundred Types"


def report(folder: Path) -> Iterator[str]:
    """The lines of one folder's table."""
    build = compile_documents([folder])
    pdfs = [folder / r.doc_id for r in build.documents if r.document and r.document.source.kind == "pdf"]
    plain, pages = _plain_text(pdfs)
    parsing = sum(r.seconds for r in build.records if r.name == "parse_document" and (folder / r.subject) in pdfs)
    yield f"{folder.name}: {len(build.documents)} files, {pages} PDF pages"
    yield f"  PyMuPDF text alone     {plain:8.3f} s  {_rate(pages, plain)}"
    times = parsing / plain if plain else 0
    yield f"  parse_document (PDF)   {parsing:8.3f} s  {_rate(pages, parsing)}  {times:.1f} times the text alone"
    yield f"  whole compile          {build.seconds:8.3f} s  (all files)"
    for name, seconds in sorted(_by_pass(build).items(), key=lambda pair: -pair[1]):
        yield f"    {name:20} {seconds:8.3f} s"
    if pdfs:
        started = time.perf_counter()
        compile_documents(pdfs, jobs=2)
        both = time.perf_counter() - started
        yield f"  compile, 2 processes   {both:8.3f} s  {_rate(pages, both)}  (the PDFs)"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    yield f"  peak memory            {peak:8.0f} MiB"


def _plain_text(pdfs: list[Path]) -> tuple[float, int]:
    import pymupdf

    started, pages = time.perf_counter(), 0
    for path in pdfs:
        with pymupdf.open(path) as document:
            pages += len(document)
            for page in document:
                page.get_text()
    return time.perf_counter() - started, pages


def _by_pass(build: Build) -> dict[str, float]:
    seconds: dict[str, float] = {}
    for record in build.records:
        seconds[record.name] = seconds.get(record.name, 0.0) + record.seconds
    return seconds


def _rate(pages: int, seconds: float) -> str:
    return f"{pages / seconds:8.1f} pages/s" if seconds and pages else "               "


if __name__ == "__main__":
    sys.exit(main())
