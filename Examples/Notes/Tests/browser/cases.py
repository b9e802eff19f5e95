"""The cases by name, and what each of them has: a server, browsers, the command-line tool and another origin."""
import defense
import editing
import hostility
import perception
import reading
import sharing
from programs import TOKEN, OtherOrigin, Server, Tool, SETTINGS, check
from window import Window

CASES = {
    name: function
    for module in (reading, editing, sharing, hostility, perception, defense)
    for name, function in module.CASES.items()
}


class Case:
    """The programs of one case, which end with it."""

    def __init__(self, folder, server, tool, chromium, driver):
        self.folder, self.program, self.chromium, self.driver = folder, server, chromium, driver
        self.tool = Tool(tool)
        self.server, self.windows, self.origins, self.cleanups = None, [], [], []

    def serve(self, text=SETTINGS, **options):
        """Starts the server with a text of its settings file."""
        self.server = Server(self.program, self.tool, self.folder, text, **options)
        return self.server

    def window(self, person="olga", **options):
        """A browser of a person."""
        window = Window(self.chromium, self.driver, self.server, person, **options)
        self.windows.append(window)
        return window

    def other_origin(self):
        """A web server of another origin."""
        self.origins.append(OtherOrigin())
        return self.origins[-1]

    def review(self):
        """Checks what holds after every case. The server ends while pages follow it."""
        for window in self.windows:
            window.review()
        secrets = {TOKEN}.union(*(window.secrets for window in self.windows))
        self.server.stop()
        check(not any(secret in self.server.log for secret in secrets), "the server's log has the secret")

    def close(self):
        for ended in self.windows + self.origins:
            ended.close()
        if self.server:
            self.server.kill()
        for cleanup in self.cleanups:
            cleanup()
