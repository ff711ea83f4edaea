"""`armdyn worker-node` as a test starts, freezes and kills it."""

import os
import re

from .process import Process

COMPUTING = re.compile(rb"computing")


class WorkerNode(Process):
    def __init__(self, address, folder, *flags):
        super().__init__(["worker-node", "--data", folder, *flags], env={"ARMDYN_STORE": address})
        self.start()

    def start(self):
        self.spawn()
        self.read_stdout(COMPUTING)

    def freeze(self, number):
        """All of it: the node and what computes for it."""
        os.killpg(self.pid, number)
        for child in self.children():
            os.kill(child, number)
