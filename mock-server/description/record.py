"""Runs a command against a service and keeps every answer that it is given, one a line.

    secmon-mock exec -- python3 record.py FILE COMMAND...

The command finds this program at SECMON_BASE_URL, which passes everything on.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SERVICE = os.environ["SECMON_BASE_URL"]
OWN = {"connection", "transfer-encoding", "content-length"}
recording = open(sys.argv[1], "w", encoding="utf-8")
lock = threading.Lock()


def operations():
    """Method, pattern and id of each operation; a literal path before one with parts."""
    with urllib.request.urlopen(f"{SERVICE}/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    for path in sorted(paths, key=lambda path: path.count("{")):
        for method, operation in paths[path].items():
            yield method.upper(), re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), operation["operationId"]


OPERATIONS = list(operations())


def operation_of(method, path):
    for known, pattern, name in OPERATIONS:
        if known == method and pattern.fullmatch(path):
            return name
    return None


class Passing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer goes out in one piece.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        service = http.client.HTTPConnection(urllib.parse.urlsplit(SERVICE).netloc)
        service.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            service.putheader(name, value)
        service.endheaders(body or None)
        try:
            answer = service.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            # The connection was cut by a fault; so is this one.
            self.close_connection = True
            return
        operation = operation_of(self.command, self.path.split("?")[0])
        if operation is not None:
            kept = {"operation": operation, "status": answer.status, "body": content.decode()}
            with lock:
                print(json.dumps(kept), file=recording)
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in OWN:
                self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = pass_on


server = ThreadingHTTPServer(("127.0.0.1", 0), Passing)
threading.Thread(target=server.serve_forever, daemon=True).start()
ran = subprocess.run(
    sys.argv[2:], env={**os.environ, "SECMON_BASE_URL": f"http://127.0.0.1:{server.server_port}"}
)
recording.close()
sys.exit(ran.returncode)
