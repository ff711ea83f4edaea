import base64, hashlib, hmac, http.server, json, sys, urllib.request
service, address, secret = sys.argv[1:]  # http://127.0.0.1:8080 127.0.0.1:8090 whsec_...
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        head, body = self.headers, self.rfile.read(int(self.headers["Content-Length"]))
        signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + body
        mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
        self.server.told = json.loads(body) if head["webhook-signature"] == "v1," + base64.b64encode(mac).decode() else None
        self.send_response(200 if self.server.told else 401), self.end_headers()
receiver = http.server.HTTPServer((address.split(":")[0], int(address.split(":")[1])), Receiver)
order = {"job_order_id": "4711", "controller": "cell-1", "to": {"q": [0, 0]}, "duration": 1.5, "objective": "smooth", "start": "automatic", "callback": {"webhook": "mes"}}
urllib.request.urlopen(urllib.request.Request(service + "/v1/orders", json.dumps(order).encode(), {"Content-Type": "application/json", "Idempotency-Key": "4711"}))
receiver.handle_request()
print(receiver.told["data"]["job_order_id"], receiver.told["type"])
