"""What every test of the real processes uses: servers and simulated controllers, a client, data, binary formats.

Standard library only, but for support.contract, which holds answers against the OpenAPI file with python3-jsonschema.
"""

from .client import Answer, Client
from .data import has_vectors, robot, robot_names, unique_name, vectors, vector_sets
from .disk import fill_disk
from .files import npy_columns, npy_read, npy_write
from .process import FILLABLE, ROOT, ControllerSim, Process, Server, binary, cpu_seconds, fill, free_port, integrity
from .process import open_sockets, peak_memory, private_memory, resident_memory
from .wait import PATIENCE, until

__all__ = [
    "Answer", "Client", "ControllerSim", "FILLABLE", "PATIENCE", "Process", "ROOT", "Server", "binary", "cpu_seconds", "fill", "fill_disk", "free_port",
    "has_vectors", "integrity", "npy_columns", "npy_read", "npy_write", "open_sockets", "peak_memory", "private_memory", "resident_memory", "robot", "robot_names",
    "unique_name", "until", "vectors", "vector_sets",
]
