"""What every test of the real processes uses: servers and simulated controllers, a client, data, binary formats.

Standard library only, but for support.contract, which holds answers against the OpenAPI file with python3-jsonschema.
"""

from .client import Answer, Client
from .data import has_vectors, robot, robot_names, unique_name, vectors, vector_sets
from .files import npy_columns, npy_read, npy_write
from .process import ROOT, ControllerSim, Process, Server, binary, free_port
from .wait import until

__all__ = [
    "Answer", "Client", "ControllerSim", "Process", "ROOT", "Server", "binary", "free_port", "has_vectors",
    "npy_columns", "npy_read", "npy_write", "robot", "robot_names", "unique_name", "until", "vectors", "vector_sets",
]
