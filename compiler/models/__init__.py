"""Language models behind one protocol: any endpoint that speaks the OpenAI chat API."""

from compiler.models.client import OpenAIModel
from compiler.models.faults import ModelFault
from compiler.models.protocol import Model, Reply, Request, Usage
from compiler.models.transport import Limits

__all__ = ["Limits", "Model", "ModelFault", "OpenAIModel", "Reply", "Request", "Usage"]
