"""The service of Examples/Notes as `Docker/check` runs it: under changes, refusals and kills."""
import http.client
import re
import secrets
import socket
import subprocess

from engine import WORK, Project
from means import Failure, await_words, expect

DOCKERFILE, FILE = "Examples/Notes/Dockerfile", "Examples/Notes/compose.yaml"


class NotesService(Project):
    """The services of the example, with requests to the server and changes by the clients."""

    def __init__(self, engine, image):
        self.token = secrets.token_hex(16)
        file = WORK / "token"
        file.write_text(f"{self.token}\n")
        file.chmod(0o444)
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self.port = unused.getsockname()[1]
        super().__init__(engine, FILE, DOCKERFILE, NOTES_IMAGE=image, NOTES_PORT=str(self.port), NOTES_TOKEN_FILE=str(file))

    def send(self, method, path, body=None, token=None):
        """The status and the text of the server's answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {token}"} if token else {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def await_page(self, words):
        """Waits until the server's page has the words."""
        def page():
            try:
                return self.send("GET", "/")[1]
            except (OSError, http.client.HTTPException) as error:
                return str(error)
        await_words(f"the server shows {words}", words, page)

    def await_everywhere(self, words):
        """Waits until the server's page and both watching clients have shown the words."""
        self.await_page(words)
        for client in ("kitchen", "office"):
            self.await_line(client, words)

    def notes(self, client, *arguments):
        """The output of the program `notes` in the container of a client."""
        return self.execute(client, "notes", "settings.json", *arguments)

    def change_until_end(self, server, *end):
        """Changes the title until the server has ended, which a command of the engine causes after some changes.

        Returns the number of changes that were answered; each title is the number of its change.
        """
        command = None
        for number in range(1, 100_000):
            if number == 50:
                command = subprocess.Popen([self.engine.program, *end, server], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                status, _ = self.send("PUT", "/settings/title", str(number), self.token)
            except (OSError, http.client.HTTPException):
                break
            if status != 204 or command and command.poll():
                break
        if not command or command.wait() != 0:
            raise Failure(f"the server ended without {' '.join(end)}, after {number} changes")
        self.engine.run("wait", server)
        return number - 1


def check(engine, image, hardened):
    """Starts the image without a setting that it knows, and runs the compose file."""
    status, text = engine.attempt("run", "--rm", *hardened, "--env", "NOTES_TILTE=x", image)
    if status == 0:
        raise Failure("the server runs with a misspelt variable")
    expect("a server with a misspelt variable ends and names it", "NOTES_TILTE", text)
    expect("the message names the variable that was meant", "NOTES_TITLE", text)

    project = NotesService(engine, image)
    project.run("up", "--detach")
    for client in ("kitchen", "office"):
        project.await_line(client, "watching /var/lib/notes/settings.json")
    project.await_page("# Notes (light)")
    server, = project.containers("server")
    engine.await_healthy(server)
    check_changes(project, server)
    check_end(project, server, "SIGTERM", 0, "stop")
    check_end(project, server, "SIGKILL", 137, "kill", "--signal", "KILL")
    owners = project.execute("office", "find", ".", "-printf", r"%y %U:%G %m\n").splitlines()
    expect("the settings belong to the user of the services, and to nobody else", "d 65532:65532 700, f 65532:65532 600",
           ", ".join(sorted(set(owners))))
    project.stop()
    project.remove()


def check_changes(project, server):
    """Changes settings by a request and by a client."""
    for token in (None, "wrong"):
        status, _ = project.send("PUT", "/settings/title", "Intrusion", token)
        expect(f"a change with the token {token} is refused", "401", str(status))
    status, text = project.send("PUT", "/settings/title", "By request", project.token)
    expect("a change with the token is made", "204", f"{status} {text}")
    project.await_everywhere("By request")
    project.notes("kitchen", "theme", "dark")
    project.await_everywhere("dark")
    table = project.send("GET", "/settings")[1]
    expect("the token comes from the secret", "/run/secrets/server.token", table)
    if project.token in table + str(project.engine.inspect(server)):
        raise Failure("the token is shown by the server, or by the container's configuration")


def check_end(project, server, signal, status, *end):
    """Ends the server amid changes; the file and the next start must have the last change that was answered."""
    answered = project.change_until_end(server, *end)
    project.expect_end(f"{signal} ends the server with status {status}", server, status)
    title = re.search(r'^title .*"(\d+)"', project.notes("office"), re.MULTILINE)
    # The last change may have been made although its answer was not sent anymore.
    if not title or int(title[1]) not in (answered, answered + 1):
        raise Failure(f"after {signal} the title is {title}, and change {answered} was answered")
    print(f"ok: {signal} amid changes loses none of {answered} that were answered", flush=True)
    project.engine.run("start", server)
    project.await_page(f"# {title[1]} (dark)")
