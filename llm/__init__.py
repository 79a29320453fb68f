"""Language models behind one protocol: any endpoint that speaks the OpenAI chat API.

Importing this is cheap; `client` brings the libraries that speak to an endpoint.
"""

from llm.choice import ModelChoice, OpenedModel, open_model
from llm.faults import ModelFault
from llm.protocol import Model, Reply, Request
from llm.usage import Usage

__all__ = ["Model", "ModelChoice", "ModelFault", "OpenedModel", "Reply", "Request", "Usage", "open_model"]
