"""A line between the gateway and a controller: every byte takes its time, as many as there may be under way."""

import collections
import os
import selectors
import socket
import threading
import time


class Line:
    """with Line(port, 0.01) as line: what connects to line.port reaches `port`, with a round trip of 10 ms; line.cut() breaks
    what is connected, line.connections counts them."""

    def __init__(self, port, round_trip):
        self.to, self.delay = port, round_trip / 2
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.selector, self.other, self.under_way = selectors.DefaultSelector(), {}, collections.deque()  # (when, to whom, bytes)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.ended, self.broken, self.connections = False, False, 0
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()
        for sock in [self.listener, *self.other]:
            sock.close()

    def run(self):
        if os.geteuid() == 0:  # a line is hardware: what else runs on this machine does not slow it down
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -10)
        while not self.ended:
            self.broken and self.disconnect()
            wait = self.under_way[0][0] - time.monotonic() if self.under_way else 0.1
            for key, _ in self.selector.select(max(wait - 0.001, 0)):  # which sleeps whole milliseconds
                self.connect() if key.fileobj is self.listener else self.take(key.fileobj)
            while self.under_way and self.under_way[0][0] <= time.monotonic():
                self.bring(*self.under_way.popleft()[1:])

    def cut(self):
        self.broken = True

    def disconnect(self):
        for sock in self.other:
            if sock in self.selector.get_map():
                self.selector.unregister(sock)
            sock.close()
        self.other, self.broken = {}, False
        self.under_way.clear()

    def connect(self):
        self.connections += 1
        pair = [self.listener.accept()[0], socket.create_connection(("127.0.0.1", self.to))]
        for sock, other in (pair, pair[::-1]):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.other[sock] = other
            self.selector.register(sock, selectors.EVENT_READ)

    def take(self, sock):
        try:
            data = sock.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.selector.unregister(sock)
        self.under_way.append((time.monotonic() + self.delay, self.other[sock], data))

    def bring(self, sock, data):
        try:
            sock.sendall(data) if data else sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has gone
