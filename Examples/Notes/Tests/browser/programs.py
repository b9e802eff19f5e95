"""The programs that a case needs besides a browser: the server, the command-line tool, and a server of another origin."""
import base64
import http.client
import http.server
import json
import pathlib
import signal
import socket
import subprocess
import threading
import time

from means import Failure, output, quiet

PERSON, TOKEN = "olga", "token-Zf81qPw-of-the-server"
SETTINGS = """\
{
  // The settings of the browser check.
  "title": "Groceries",
  "limits": {"notes": 500},

  "server": {"token": "%s"}
}
""" % TOKEN


def free_port():
    """A port that is free at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(what, condition, seconds=60):
    """Waits until a function returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise Failure(f"after {seconds} s there was still not: {what}")
        time.sleep(0.02)


def check(condition, message):
    """Fails with a message unless a condition is true."""
    if not condition:
        raise Failure(message)


class Server:
    """A `notes-server` with a settings file of its own; it can be stopped and started again on the same port."""

    def __init__(self, program, tool, folder, text=SETTINGS, name="settings.jsonc"):
        self.program, self.tool, self.port = program, tool, free_port()
        self.file, self.log_file = pathlib.Path(folder, name), pathlib.Path(folder, "log")
        self.file.write_text(text)
        self.log_file.write_text("")
        self.process = None
        self.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/console/"

    def start(self):
        started = self.log.count("Server started")
        with self.log_file.open("a") as log:
            self.process = subprocess.Popen(
                [self.program, self.file, f"--server.listen=127.0.0.1:{self.port}"],
                stdout=log, stderr=log, cwd=self.file.parent,
            )

        def has_started():
            check(self.process.poll() is None, f"the server does not start:\n{self.log[-2000:]}")
            return self.log.count("Server started") > started
        wait_until("a running server", has_started)

    def stop(self):
        """Ends the server as a service manager does; returns the seconds that it took."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("the server did not end within 20 s of SIGTERM") from None
        check(status == 0, f"the server ended with status {status}:\n{self.log[-2000:]}")
        return time.monotonic() - begin

    def kill(self):
        """Ends the server in any case, at the end of a case that failed."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @property
    def log(self):
        return self.log_file.read_text(errors="replace")

    @property
    def text(self):
        """The text of the settings file."""
        return self.file.read_text()

    @property
    def settings(self):
        """The settings as other programs read them: those of the file with the changes that its journal has for it."""
        return self.tool.export(self.file)

    def stored(self, key):
        """The value of a key in the settings; `None` if there is none."""
        value = self.settings
        if key in value:
            return value[key]
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def request(self, path, method="GET", body=None, headers=None, token=TOKEN):
        """Sends a request without a browser; returns the status, the header fields and the text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        fields = dict(headers or {})
        if token:
            fields["Authorization"] = "Basic " + base64.b64encode(f"{PERSON}:{token}".encode()).decode()
        try:
            connection.request(method, "/console" + path, body, fields)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()


class Tool:
    """The program `keyspan`, which reads and changes the file of a server that runs."""

    def __init__(self, program):
        self.program = program

    def write(self, server, key, *value):
        quiet(f"keyspan cannot write {key}", self.program, "write", server.file, key, *value)

    def export(self, file):
        return json.loads(output(self.program, "export", file, "-", "--format", "json"))


class OtherOrigin:
    """A web server of another origin, which serves pages that a case gives it."""

    def __init__(self):
        self.pages = pages = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers with a page by its path."""

            def do_GET(self):
                page = pages.get(self.path)
                self.send_response(200 if page else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write((page or "").encode())

            def log_message(self, *arguments):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
