"""Two controllers behind one port: a PLC with two arms, each with a block of registers of its own."""

import socket
import socketserver
import struct
import threading


class Blocks:
    """with Blocks({1000: port, 20000: other}) as plc: requests to plc.port reach the controller whose base is next below;
    heard(frame), where given, hears each of them first, answered(frame, answer) says what comes back."""

    def __init__(self, ports, heard=lambda frame: None, answered=lambda frame, answer: answer):
        blocks = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                behind = {base: socket.create_connection(("127.0.0.1", port)) for base, port in ports.items()}
                try:
                    while (frame := blocks.frame(self.request)):
                        heard(frame)
                        (address,) = struct.unpack(">H", frame[8:10])
                        to = behind[max((base for base in behind if base <= address), default=min(behind))]
                        to.sendall(frame)
                        self.request.sendall(answered(frame, blocks.frame(to)))
                except OSError:
                    pass
                finally:
                    for sock in behind.values():
                        sock.close()

        class Threads(socketserver.ThreadingTCPServer):
            daemon_threads = True
        self.server = Threads(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    @staticmethod
    def frame(sock):
        """A Modbus frame; empty at the end."""
        head = sock.recv(6, socket.MSG_WAITALL)
        return head + sock.recv(struct.unpack(">H", head[4:])[0], socket.MSG_WAITALL) if len(head) == 6 else b""
