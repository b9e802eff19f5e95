"""The engine that builds the images of `Docker/check` and runs their containers, and the compose files that it runs.

Docker is used where it answers, and otherwise podman with a storage of its own.
"""
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
import zlib

from means import (
    ROOT, Failure, LeftOut, attempt, await_words, expect, install, package_folders, quiet, toolchain_folder, write_git_configuration,
)

BASE_PACKAGES = (
    "binutils,ca-certificates,git,libc6-dev,libcurl4,libedit2,libgcc-12-dev,libncurses6,libsqlite3-0,libstdc++-12-dev,libxml2"
    ",pkg-config,python3,shellcheck,tzdata,zlib1g-dev"
)
WORK = pathlib.Path(tempfile.mkdtemp())
# The names of this run begin with this, and no others: engines find names by a part of them, as 12 in 1234, so all runs have as many digits.
RUN = f"keyspan-check-{secrets.token_hex(8)}"


def has(*programs):
    return all(map(shutil.which, programs))


class Engine:
    """The program that builds images and runs containers."""

    def __init__(self):
        self.kind = os.environ.get("KEYSPAN_ENGINE") or self.choose()
        # These are for the local base image only.
        self.mounts, self.toolchain_libraries, self.base_image = [], [], None
        self.projects = []
        print(f"engine: {self.kind}", flush=True)
        if self.kind == "docker":
            quiet("docker info fails; start the engine, or set KEYSPAN_ENGINE=local", "docker", "info")
        elif self.kind in ("podman", "local"):
            self.prepare_podman()
        else:
            raise Failure(f"KEYSPAN_ENGINE is {self.kind}; it may be docker, podman or local")
        self.program = "docker" if self.kind == "docker" else "podman"
        if self.kind == "local":
            self.prepare_base()

    @staticmethod
    def choose():
        if has("docker") and attempt("docker", "info")[0] == 0:
            return "docker"
        try:
            urllib.request.urlopen("https://registry-1.docker.io/v2/", timeout=5)
        except urllib.error.HTTPError as error:
            # A registry asks for a name.
            return "podman" if error.code == 401 else "local"
        except OSError:
            pass
        return "local"

    def prepare_podman(self):
        """Gives podman a storage and settings of its own, so that the user's images are not touched."""
        is_root = os.geteuid() == 0
        if is_root and attempt("unshare", "--mount", "--pid", "--fork", "true")[0] != 0:
            raise LeftOut("the images (no container can be made here: this machine is one, without the privilege; start Docker outside)")
        if not has("podman", "runc", "podman-compose") and not install(
            "podman", "runc", "uidmap", "netavark", "aardvark-dns", "iptables", "podman-compose"
        ):
            raise LeftOut("the images (podman, runc and podman-compose are missing; install these packages, or start Docker)")
        for folder in ("storage", "networks"):
            (WORK / folder).mkdir()
        # For root podman would raise these limits, which not every machine allows.
        limits = 'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]' if is_root else ""
        storage = f'[storage]\ndriver = "overlay"\ngraphroot = "{WORK}/storage"\nrunroot = "{WORK}/running"\n'
        settings = {
            "storage.conf": storage,
            # runc and cgroupfs, because crun rejects mixed control groups.
            "containers.conf": f'[containers]\n{limits}\n[engine]\nruntime = "runc"\nevents_logger = "file"\n'
                               f'cgroup_manager = "cgroupfs"\n[network]\nnetwork_config_dir = "{WORK}/networks"\n',
            "registries.conf": 'unqualified-search-registries = ["docker.io"]\n',
        }
        for name, text in settings.items():
            (WORK / name).write_text(text)
        os.environ |= {
            "CONTAINERS_CONF": f"{WORK}/containers.conf", "CONTAINERS_STORAGE_CONF": f"{WORK}/storage.conf",
            "CONTAINERS_REGISTRIES_CONF": f"{WORK}/registries.conf",
            # The folder of cache mounts.
            "TMPDIR": str(WORK),
        }
        if attempt("podman", "info")[0] != 0:
            (WORK / "storage.conf").write_text(storage.replace("overlay", "vfs"))
            status, text = attempt("podman", "info")
            if status != 0:
                raise LeftOut(f"the images (podman does not work here: {text.splitlines()[-1]})")

    def prepare_base(self):
        """Makes the image that a registry would provide: Debian with the toolchain's dependencies, tagged with the name of the
        toolchain's image. The toolchain of this machine is mounted, with the folders that git uses in place of the network."""
        if not has("swift", "git"):
            raise LeftOut("the images (the local base image needs swift and git; install a toolchain)")
        if os.geteuid() != 0:
            raise LeftOut("the images (the local base image is made by root; run as root, or start Docker)")
        version = re.search(r"Swift version (\d+\.\d+)", attempt("swift", "--version")[1])[1]
        release = dict(re.findall(r'^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(), re.MULTILINE))
        if release.get("ID") != "debian":
            raise LeftOut("the images (the local base image is Debian's, so this machine must be as well; start Docker)")
        codename = release["VERSION_CODENAME"]
        self.base_image = f"docker.io/library/swift:{version}-{codename}"
        write_git_configuration(WORK / "gitconfig")
        shared = {folder: folder for folder in package_folders()}
        shared |= {str(toolchain_folder()): "/toolchain/usr", f"{WORK}/gitconfig": "/etc/gitconfig"}
        for folder, target in shared.items():
            self.mounts += ["-v", f"{folder}:{target}:ro"]
        # Programs that this machine has built look for libraries in the place that its toolchain has here.
        libraries = toolchain_folder() / "lib/swift"
        self.toolchain_libraries = ["-v", f"{libraries}:{libraries}:ro"]
        self.import_debian(self.base_image, codename, BASE_PACKAGES, "--change",
                           "ENV PATH=/toolchain/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin")

    def import_debian(self, name, codename, packages="", *options):
        """Makes an image of Debian with some packages, unless it is there or the cache has it."""
        if self.attempt("image", "inspect", name)[0] == 0:
            return
        cache = pathlib.Path(os.environ.get("KEYSPAN_BASE_CACHE") or WORK / "cache")
        cache.mkdir(parents=True, exist_ok=True)
        archive = cache / f"{codename}-{zlib.crc32(packages.encode()):08x}.tar"
        if not archive.exists():
            self.make_debian(archive, codename, packages)
        self.run("import", "--quiet", *options, archive, name, message=f"the image {name} cannot be imported")
        print(f"base image: {name}, made here", flush=True)

    def import_bases(self, dockerfile):
        """Makes the images of Debian from which the text of a Dockerfile starts. Where it names one by an argument, the image already
        has the packages that the Dockerfile would install over the network. Returns the options that set these arguments."""
        options = []
        for line, base, codename in re.findall(r"^(FROM |ARG DEBIAN_IMAGE=)(debian:(\w+)-slim)$", dockerfile, re.MULTILINE):
            name, packages = f"docker.io/library/{base}", []
            if line.startswith("ARG"):
                packages = re.search(r"apt-get install .*--no-install-recommends ([\w -]+)", dockerfile)[1].split()
                name = f"localhost/{RUN}-debian:{'-'.join(packages)}"
                options += ["--build-arg", f"DEBIAN_IMAGE={name}"]
            self.import_debian(name, codename, ",".join(packages))
        return options

    @staticmethod
    def make_debian(archive, codename, packages):
        if not has("debootstrap") and not install("debootstrap"):
            raise LeftOut("the images (debootstrap is missing; install this package, or start Docker)")
        root = WORK / "root"
        status, text = attempt("debootstrap", "--variant=minbase", *([f"--include={packages}"] if packages else []), codename, root)
        if status != 0:
            raise LeftOut(f"the images (Debian's packages cannot be had for a base image: {text.splitlines()[-1]})")
        for folder in ("var/cache/apt", "var/lib/apt/lists"):
            shutil.rmtree(root / folder)
        quiet("tar fails", "tar", "--directory", root, "--create", "--file", f"{archive}.part", ".")
        os.rename(f"{archive}.part", archive)
        shutil.rmtree(root)

    def run(self, *arguments, message="the engine fails"):
        return quiet(message, self.program, *arguments)

    def attempt(self, *arguments):
        return attempt(self.program, *arguments)

    def build_options(self, dockerfile):
        """The options of a build that Docker does not need."""
        if self.kind == "docker":
            return []
        # podman-compose looks from the folder of the compose file. The default format has no health checks.
        options = ["--ignorefile", f"{ROOT}/{dockerfile}.dockerignore", "--format=docker"]
        # A build with the local base image uses nothing from the network.
        return [*options, *self.mounts, "--network=none", "--pull=never"] if self.base_image else options

    def image(self, name, dockerfile, *options):
        """Builds a Dockerfile, once in a run."""
        if self.attempt("image", "inspect", name)[0] == 0:
            return
        if self.base_image:
            options += ("--build-arg", f"SWIFT_IMAGE={self.base_image}", *self.import_bases((ROOT / dockerfile).read_text()))
        self.run("build", *self.build_options(dockerfile), *options, "--file", dockerfile, "--tag", name, ".",
                 message=f"{dockerfile} {' '.join(options)} does not build")

    def size(self, image):
        """The size of an image in kB."""
        return int(self.run("image", "inspect", "--format", "{{.Size}}", image)) // 1000

    def inspect(self, container):
        return json.loads(self.run("inspect", container))[0]

    def await_healthy(self, container):
        """Waits until the health check of a container succeeds."""
        def health():
            if self.program == "docker":
                return f"status {self.inspect(container)['State']['Health']['Status']}"
            # Without systemd, podman runs health checks on request only.
            status, text = self.attempt("healthcheck", "run", container)
            return "status healthy" if status == 0 else text
        await_words("the health check succeeds", "status healthy", health)

    def clean_up(self):
        """Removes everything that this run has made."""
        for project in self.projects:
            attempt(*project.command("down", "--volumes"))
        if self.kind == "docker":
            # Images by their names, because the same image may have another name of the user.
            for listing, removal in [
                (["container", "ls", "--all", "--quiet", "--filter", f"name=^{RUN}[-_]"], ["rm", "--force"]),
                (["volume", "ls", "--quiet", "--filter", f"name=^{RUN}[-_]"], ["volume", "rm"]),
                (["image", "ls", "--format={{.Repository}}:{{.Tag}}", "--filter", f"reference={RUN}-*", "--filter", f"reference={RUN}:*"],
                 ["image", "rm"]),
            ]:
                found = self.attempt(*listing)[1].split()
                if found:
                    self.attempt(*removal, *found)
        elif (WORK / "storage").exists():
            attempt("podman", "rm", "--all", "--force", "--time", "2")
            attempt("umount", "--recursive", WORK / "storage/overlay")


class Project:
    """The services of a compose file, under a name of this run."""

    def __init__(self, engine, file, dockerfile, run_options=(), **variables):
        self.engine, self.file, self.dockerfile, self.run_options = engine, file, dockerfile, run_options
        os.environ |= variables
        engine.projects.append(self)

    def command(self, *arguments):
        """The command of Docker's compose or podman's."""
        if self.engine.kind == "docker":
            return ["docker", "compose", "--project-name", RUN, "--file", self.file, *arguments]
        return ["podman-compose", "--project-name", RUN, "--file", self.file,
                f"--podman-build-args={' '.join(self.engine.build_options(self.dockerfile))}",
                f"--podman-run-args={' '.join(self.run_options)}", *arguments]

    def run(self, *arguments):
        return quiet(f"{self.file}: {' '.join(arguments)} fails", *self.command(*arguments), stdin=subprocess.DEVNULL)

    def execute(self, service, *command):
        """The output of a program in the container of a service, without the lines that podman-compose adds."""
        return self.engine.run("exec", self.containers(service)[0], *command)

    def containers(self, service=""):
        """The identifiers of the containers of a service, or of all services."""
        # Docker joins the words of a name with hyphens, and podman-compose with underscores.
        return self.engine.run("ps", "--all", "--quiet", "--filter", f"name=^{RUN}[-_]{service}").split()

    def await_line(self, service, words):
        """Waits until a service has printed the words."""
        await_words(f"{service} printed {words}", words, lambda: attempt(*self.command("logs", service))[1])

    def stop(self):
        """Stops the services. Each must end on SIGTERM, which reaches a program that is process 1 only if the program takes it."""
        self.run("stop")
        for container in self.containers():
            self.expect_end("a service ends on SIGTERM", container, 0)

    def expect_end(self, what, container, status):
        """Fails unless a container has ended with the status."""
        state = self.engine.inspect(container)["State"]
        expect(what, f"exited {status}.", f"{state['Status']} {state['ExitCode']}.")

    def remove(self):
        """Removes containers, networks and volumes; none may be left."""
        self.run("down", "--volumes")
        rest = [*self.containers(), *self.engine.run("volume", "ls", "--quiet", "--filter", f"name=^{RUN}_").split()]
        if rest:
            raise Failure(f"{self.file} leaves behind: {' '.join(rest)}")
        print("ok: nothing is left of the services")
