"""An application that does nothing, to hold what a server takes against: `uvicorn evals.load.empty:app`."""

from fastapi import FastAPI
from pydantic import JsonValue

app = FastAPI()


@app.get("/")
def get() -> dict[str, str]:
    """What is read."""
    return {"state": "running"}


@app.post("/")
def post(told: dict[str, JsonValue]) -> dict[str, str]:
    """What is sent."""
    return {"state": "running"}
