"""The other end of a webhook: keeps what is POSTed, answers as it is told, and checks signatures by itself."""

import base64
import hashlib
import hmac
import http.server
import json
import ssl
import threading


class Receiver:
    """Receiver(503, 200): the first message is answered 503, the second and all later ones 200. A function is called with the
    handler and answers the status, or None to say nothing. tls: its certificate and key."""

    def __init__(self, *statuses, tls=None):
        self.messages, self.statuses = [], list(statuses or [200])
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.messages.append((dict(self.headers.items()), body))
                status = receiver.statuses.pop(0) if len(receiver.statuses) > 1 else receiver.statuses[0]
                status = status(self) if callable(status) else status
                if status is not None:
                    self.send_response(status)
                    self.send_header("Content-Length", "0")
                    self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def documents(self):
        return [json.loads(body) for _, body in self.messages]


def signature(secret, headers, body):
    """As standardwebhooks.com says it is made."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
