"""Finds the Swift samples of the documentation: in the README and the articles, where the samples of one document form one program,
and in documentation comments, where those of one source file do. Excerpts of the examples are compared with them."""
import re

from means import ROOT, output

APPLE_ONLY = "Sources/KeyspanUI/"


def sampled_files(is_apple_only):
    """The files that may have samples which compile on every system, or those of the targets for Apple systems only."""
    files = output("git", "ls-files", "*.md", "Sources/*.swift", cwd=ROOT).splitlines()
    return [file for file in files if file.startswith(APPLE_ONLY) == is_apple_only and (ROOT / file).exists()]


def blocks(file):
    """The ```swift blocks of a file, each with the number of its first line and its lines."""
    found, block = [], None
    for number, line in enumerate((ROOT / file).read_text(encoding="utf-8").splitlines(), start=1):
        if file.endswith(".swift"):
            comment = re.match(r" */// ?(.*)", line)
            line = comment[1] if comment else None
        if line is None:
            block = None
        elif block is None:
            block = [] if re.fullmatch(r" *```swift", line) else None
        elif line.lstrip().startswith("```"):
            if block:
                found.append((number - len(block), block))
            block = None
        else:
            block.append(line)
    return found


def samples(file):
    """The lines of the samples of a file, each sample below a line that keeps the file's line numbers in errors.

    A block that begins with "// In Package.swift" is a part of a manifest and left out. So is one that begins with "// With the trait":
    its module is empty here, and its tests have the same code. One that begins with "// In Examples/" is an excerpt.
    """
    found = []
    for first, block in blocks(file):
        if not re.match(r" *// (In Package.swift|In Examples/|With the trait)", block[0]):
            found += [f'#sourceLocation(file: "{file}", line: {first})', *block, "#sourceLocation()"]
    return found


def false_excerpts(file):
    """The excerpts of a file, as file and line, that are not in the examples that they name.

    The lines of an excerpt follow one another in the example, but for those that a line with an ellipsis stands for.
    """
    found = []
    for first, block in blocks(file):
        name = re.match(r" *// In (Examples/\S+)", block[0])
        if name is None:
            continue
        if not (ROOT / name[1]).exists():
            found.append(f"{file}:{first}")
            continue
        source = "\n" + (ROOT / name[1]).read_text(encoding="utf-8")
        place = 0
        for part in filter(None, re.split(r"^ *…\n", "\n".join(block[1:]) + "\n", flags=re.MULTILINE)):
            place = source.find("\n" + part, place)
            if place < 0:
                found.append(f"{file}:{first}")
                break
            place += len(part)
    return found


def sample_program(file):
    """The program that the samples of a file form; `None` without samples."""
    lines = samples(file)
    if not lines:
        return None
    prelude = ""
    if file.endswith(".swift"):
        name = "sample-prelude-ui.swift" if file.startswith(APPLE_ONLY) else "sample-prelude.swift"
        prelude = (ROOT / ".ci" / name).read_text(encoding="utf-8")
    return prelude + "\n".join(lines) + "\n"
