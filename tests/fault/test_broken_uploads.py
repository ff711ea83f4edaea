"""A server that dies, or whose disk is full, in the midst of an upload keeps nothing of it."""

import time

from support import FILLABLE, fill, until
from support.datasets import ARM, a_log, as_csv, series_rows, upload


def begin(server, place, text, part):
    sock = server.connect(30)
    sock.sendall(f"POST {place}/datasets HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: {len(text)}\r\n\r\n".encode())
    sock.sendall(text[:part])
    return sock


def test_kill_in_the_midst(make_server):
    server = make_server()
    text = as_csv(a_log(60000)).encode()
    with server.client() as client:
        place = client.create_robot(ARM, name="arm").headers["Location"]
        whole = upload(client, place, text).expect(201).json
        kept = series_rows(server)
        sock = begin(server, place, text, len(text) - 1000)
        until(lambda: series_rows(server)[1] > kept[1] + 10)  # much of it is on the disk
    server.restart(kill=True)
    sock.close()
    assert series_rows(server) == kept  # swept at the start
    with server.client() as client:
        assert [d["id"] for d in client.get("/v1/datasets").expect(200).json["items"]] == [whole["id"]]
        again = upload(client, place, text).expect(201).json
        assert again["sha256"] == whole["sha256"]


def test_a_full_disk(make_server):
    server = make_server(prefix=FILLABLE)
    text = as_csv(a_log(60000)).encode()
    with server.client(check=False) as client:
        place = client.create_robot(ARM, name="arm").headers["Location"]
        before = series_rows(server)
        sock = begin(server, place, text, 1000000)
        time.sleep(0.2)
        fill(server)
        try:
            sock.sendall(text[1000000:])
            status = int(sock.recv(100).split()[1])
        finally:
            fill(server, False)
            sock.close()
        assert status in (500, 507)
        upload(client, place, text).expect(201)
        series = series_rows(server)[0] - before[0]
    server.restart()
    assert series_rows(server)[0] - before[0] <= series  # and what the full disk did not let go is swept
    with server.client() as client:
        assert len(client.get("/v1/datasets").expect(200).json["items"]) == 1
