"""Shared parts of the checks: running programs, installing them, stages, and parts that a machine cannot run.

A check that is written in Python imports this file. It raises `Failure` if something is wrong, and `LeftOut` if the machine lacks
the means; `run_stages` and `main` turn these into messages and exit statuses.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATUS_LEFT_OUT = 77
# The comments and string literals of Swift; a raw string may have quotes.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|#".*?"#|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"', re.DOTALL)


class Failure(Exception):
    """A check that failed, with a message for a person."""


class LeftOut(Exception):
    """A part that this machine cannot check: what, why, and the remedy."""


def leave_out(text):
    """Names a part that is left out, and goes on. `.ci/run` collects such lines."""
    print(f"left out: {text}", file=sys.stderr, flush=True)


def run(*command, **options):
    """Runs a program, whose output goes to this one's."""
    sys.stdout.flush()
    return subprocess.run([str(part) for part in command], check=True, **options)


def output(*command, **options):
    """The standard output of a program, without the last line ending."""
    return run(*command, stdout=subprocess.PIPE, text=True, **options).stdout.rstrip("\n")


def committed_files(*patterns):
    """The files of the work tree that are committed, or would be with `git add --all`."""
    # With -z, git does not quote names.
    names = output("git", "ls-files", "-z", "-co", "--exclude-standard", *patterns, cwd=ROOT).split("\0")
    return [name for name in names if (ROOT / name).is_file()]


def code_of(text):
    """A Swift source without comments and string literals; each line is where it was."""
    return NO_CODE.sub(lambda match: " " + "\n" * match[0].count("\n"), text)


def attempt(*command, **options):
    """The status of a program, and its standard output and error together."""
    done = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options
    )
    return done.returncode, done.stdout.rstrip("\n")


def quiet(message, *command, **options):
    """Runs a program, and shows the end of its output only if it fails."""
    status, text = attempt(*command, **options)
    if status != 0:
        raise Failure("\n".join([*text.splitlines()[-40:], message]))
    return text


def expect(what, words, text):
    """Fails unless a text contains the words."""
    if words not in text:
        raise Failure(f"{what}: expected \"{words}\", found: {text}")
    print(f"ok: {what}", flush=True)


def await_words(what, words, read):
    """Waits until a text, which a function reads anew each time, contains the words."""
    deadline = time.monotonic() + 60
    while words not in (text := read()):
        if time.monotonic() > deadline:
            raise Failure(f"{what}: expected \"{words}\", found: {text}")
        time.sleep(0.2)
    print(f"ok: {what}", flush=True)


def install(*packages):
    """Installs Debian packages if apt-get and root are available; says whether it did."""
    command = 'source .ci/means.bash && install_packages --no-install-recommends "$@"'
    return subprocess.run(["bash", "-c", command, "bash", *packages], cwd=ROOT).returncode == 0


def need(program, package=None):
    """Whether a program is available, after an attempt to install its Debian package."""
    if shutil.which(program):
        return True
    return install(package or program) and shutil.which(program) is not None


def need_import(statement, package, python="python3"):
    """Whether Python can run an import, after an attempt to install the Debian package."""
    def imports():
        return attempt(python, "-c", statement)[0] == 0
    return imports() or (install(package) and imports())


def toolchain_folder():
    """The folder of the toolchain that `swift` belongs to; it contains bin/swift."""
    return pathlib.Path(os.path.realpath(shutil.which("swift"))).parent.parent


def git_substitutes():
    """The settings by which git takes repositories from folders in place of addresses, as (name, value)."""
    _, text = attempt("git", "config", "--get-regexp", r"^url\..*\.insteadof$")
    return [tuple(line.split(" ", 1)) for line in text.splitlines() if " " in line]


def package_folders():
    """The folders of this machine from which git takes repositories."""
    names = {re.fullmatch(r"url\.(?:file://)?(.*)\.insteadof", name) for name, _ in git_substitutes()}
    return sorted({match[1].rstrip("/") for match in names if match and os.path.isdir(match[1])})


def write_git_configuration(path):
    """Writes git's configuration for a system made here: its substitutes, and trust in folders that others own."""
    for name, value in git_substitutes():
        run("git", "config", "--file", path, "--add", name, value)
    run("git", "config", "--file", path, "--add", "safe.directory", "*")


def run_stages(stages, chosen):
    """Runs stages, given as functions by name; the status is 77 if nothing but left-out parts remained."""
    for name in chosen:
        if name not in stages:
            sys.exit(f"no stage {name}; the stages are: {' '.join(stages)}")
    chosen = chosen or list(stages)
    left_out = 0
    for name in chosen:
        print(f"=== {name}", flush=True)
        begin = time.monotonic()
        try:
            stages[name]()
        except LeftOut as reason:
            leave_out(str(reason))
            left_out += 1
        print(f"=== {name} took {time.monotonic() - begin:.0f} s", flush=True)
    return STATUS_LEFT_OUT if left_out == len(chosen) else 0


def main(function):
    """Runs a check and ends the program with its status."""
    os.chdir(ROOT)
    try:
        sys.exit(function())
    except LeftOut as reason:
        leave_out(str(reason))
        sys.exit(STATUS_LEFT_OUT)
    except Failure as failure:
        sys.exit(f"{os.path.relpath(sys.argv[0])}: {failure}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{os.path.relpath(sys.argv[0])}: status {error.returncode} of: {' '.join(map(str, error.cmd))}")
