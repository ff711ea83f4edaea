"""A line to a broker that takes so many bytes a second; what comes back comes at once."""

import contextlib
import socket
import threading
import time

TICK = 0.02  # s


class Trickle:
    """with Trickle(port, rate=1) as line: what connects to line.port reaches `port`. line.rate may be changed, None is without limit;
    line.taken counts the bytes that went there."""

    def __init__(self, port, rate=None):
        self.to, self.rate, self.taken, self.ended = port, rate, 0, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # the least there is: what is not taken stays with who says it
        self.port = self.listener.getsockname()[1]
        self.threads = [threading.Thread(target=self.accept)]

    def __enter__(self):
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.threads[0].join()
        for thread in self.threads[1:]:
            thread.join()
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while not self.ended:
                near = self.listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.to))
                self.threads += [threading.Thread(target=self.carry, args=pair) for pair in ((near, far, True), (far, near, False))]
                for thread in self.threads[-2:]:
                    thread.start()

    def carry(self, source, sink, slowly):
        """Until one of them closes; then the other one hears of it, whatever was still under way."""
        due, source_open = time.monotonic(), True
        source.settimeout(TICK)
        while source_open and not self.ended:
            rate = self.rate if slowly else None
            if rate and time.monotonic() < due:
                time.sleep(min(TICK, due - time.monotonic()) if due > time.monotonic() else 0)
                continue
            try:
                data = source.recv(max(1, int(rate * TICK)) if rate else 65536)
                sink.sendall(data)
                source_open = bool(data)
            except TimeoutError:
                continue
            except OSError:
                break
            if slowly:
                self.taken += len(data)
            if rate:
                due = time.monotonic() + len(data) / rate
        for sock in (source, sink):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
