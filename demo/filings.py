"""A filing system, as a company might have one: answers whether a consignment is filed, and keeps a book of who asked.

python -m demo.filings 8765 book.jsonl
"""

import json
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FILED = {"SHIP-2026-00020": "FILING-2026-103388"}
DOWN = "SHIP-2026-00021"
SLOW = "SHIP-2026-00019"


def answer_for(shipment: str) -> dict[str, Any]:
    """What the system knows of a consignment; of one nothing, since that part of it is down."""
    if shipment == DOWN:
        known: dict[str, Any] = {"has_filing": None, "filing_id": None, "filing_status": "unknown"}
    elif shipment in FILED:
        known = {"has_filing": True, "filing_id": FILED[shipment], "filing_status": "approved"}
    else:
        known = {"has_filing": False, "filing_id": None, "filing_status": "missing"}
    asked = f"querylog:{shipment}"
    return {**known, "evidence": {"source_type": "business_system", "system": "filing_registry", "query_ref": asked}}


def serve(port: int, book: Path, wait: float = 0.0) -> ThreadingHTTPServer:
    """A server on loopback that has not begun to serve.

    Args:
        book: a line for each call: what was asked, and the key of the call.
        wait: seconds before it answers about one consignment, so that somebody can end the run meanwhile.
    """

    class Filings(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with book.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({**asked, "key": self.headers["Idempotency-Key"]}, ensure_ascii=False) + "\n")
            if asked["shipment_id"] == SLOW:
                time.sleep(wait)
            text = json.dumps(answer_for(asked["shipment_id"])).encode()
            with suppress(BrokenPipeError):  # whoever asked was ended meanwhile
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Filings)


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2])).serve_forever()
