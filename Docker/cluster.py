"""Two services on three members of etcd as `Docker/check` runs them: members are killed and paused while settings change."""
import json
import re
import time

from engine import Project
from means import Failure, await_words, expect

DOCKERFILE, FILE = "Docker/cluster/Dockerfile", "Docker/cluster/compose.yaml"
MEMBERS = ("etcd-1", "etcd-2", "etcd-3")
SERVICES = ("frontend", "worker")
ENDPOINTS = ",".join(f"{member}:2379" for member in MEMBERS)
DOMAIN = f"etcd://{ENDPOINTS}/greeter/"


class ClusterServices(Project):
    """The members and the services of the compose file."""

    def __init__(self, engine, image, etcd_image):
        super().__init__(engine, FILE, DOCKERFILE, KEYSPAN_CLUSTER_IMAGE=image, ETCD_IMAGE=etcd_image)

    def execute(self, service, *command):
        """The output of a program in the container of a service. It is repeated while it fails, because the engine's server of names may
        be silent for some seconds after a container has ended."""
        deadline = time.monotonic() + 60
        while True:
            status, text = self.engine.attempt("exec", *self.containers(service), *command)
            if status == 0:
                return text
            if time.monotonic() > deadline:
                raise Failure(f"{service}: {' '.join(command)} fails: {text}")
            time.sleep(0.5)

    def keyspan(self, service, command, *arguments):
        """The output of the tool in the container of a service."""
        return self.execute(service, "/usr/bin/keyspan", command, DOMAIN, *arguments)

    def change(self, member, action):
        """Has the engine kill, start, pause or unpause a member."""
        self.engine.run(action, *self.containers(member))

    def await_member(self, member):
        self.engine.await_healthy(*self.containers(member))

    def leader(self):
        """The name of the member that leads."""
        text = self.execute("etcd-1", "etcdctl", f"--endpoints={ENDPOINTS}", "endpoint", "status", "--write-out=json")
        for member in json.loads(text):
            if member["Status"]["leader"] == member["Status"]["header"]["member_id"]:
                return re.match(r"[^:]*", member["Endpoint"])[0]
        raise Failure(f"no member leads: {text}")

    def await_everywhere(self, words):
        """Waits until both services have printed the words."""
        for service in SERVICES:
            self.await_line(service, words)


def check(engine, image, etcd_image):
    """Runs the compose file."""
    project = ClusterServices(engine, image, etcd_image)
    project.run("up", "--detach")
    for member in MEMBERS:
        project.await_member(member)
    project.keyspan("frontend", "write", "theme", "dark")
    project.await_everywhere("theme = dark")
    project.execute("etcd-1", "etcdctl", "put", "greeter/visits", "2")
    project.await_everywhere("visits = 2")
    expect("etcdctl reads what the tool has written", '"dark"', project.execute("etcd-2", "etcdctl", "get", "greeter/theme"))
    check_losses(project)
    check_majority(project)
    for service in SERVICES:
        project.engine.run("stop", *project.containers(service))
        project.expect_end(f"{service} ends on SIGTERM", project.containers(service)[0], 0)
    project.remove()


def check_losses(project):
    """Takes one member after the other away; the services go on with the others."""
    for number, (end, again) in enumerate([("kill", "start"), ("pause", "unpause")] * 2, start=1):
        # Now the leader, then a member that follows.
        leader = project.leader()
        member = leader if number <= 2 else next(other for other in MEMBERS if other != leader)
        project.change(member, end)
        project.keyspan("worker", "write", "round", "-int", str(number))
        project.await_everywhere(f"round = {number}")
        project.change(member, again)
        project.await_member(member)
        print(f"ok: with {member} ({'the leader' if member == leader else 'a follower'}) away by {end}, settings change", flush=True)


def check_majority(project):
    """Takes the majority away; writes are refused, the services go on, and nothing is lost."""
    for member in MEMBERS[:2]:
        project.change(member, "kill")
    def refusal():
        status, text = project.engine.attempt(
            "exec", *project.containers("frontend"), "/usr/bin/keyspan", "write", DOMAIN, "theme", "light"
        )
        if status == 0:
            raise Failure("a write without a majority succeeds")
        return text
    await_words("a write without a majority is refused", "No member of the cluster", refusal)
    for member in MEMBERS[:2]:
        project.change(member, "start")
    for member in MEMBERS:
        project.await_member(member)
    project.keyspan("worker", "write", "after", "-bool", "true")
    project.await_everywhere("after = 1")
    await_words("every acknowledged write is there", "round = 4", lambda: project.keyspan("frontend", "read"))
