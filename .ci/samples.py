"""Finds the Swift samples of the documentation: in the README and the articles, where the samples of one document form one program,
and in documentation comments, where those of one source file do. Excerpts of the examples are compared with them.

A sample states what it prints in one of two forms, in which "…" stands for any text:

    print(2 + 2)  // prints: 4

and a ```text block behind the sample, after a line that ends with "prints:". The block is everything that the sample prints, but for
lines of the first form. A ```sh block of `swift run keyspan` commands can have such a block as well.
"""
import collections
import re

from means import ROOT, committed_files

APPLE_ONLY = "Sources/KeyspanUI/"
# The words that may follow the backticks of a block; with others, a sample would not be one.
LANGUAGES = ["console", "dockerfile", "json", "sh", "swift", "text"]


def sampled_files(is_apple_only):
    """The files that may have samples which compile on every system, or those of the targets for Apple systems only."""
    return [file for file in committed_files("*.md", "Sources/*.swift") if file.startswith(APPLE_ONLY) == is_apple_only]


# A block of a file: its language, the number of its first line, its lines, and the text between it and the block before it.
Block = collections.namedtuple("Block", "language first lines before")
# What a sample says that it prints: the numbers of the lines that print it, the place of the statement, and the text.
Statement = collections.namedtuple("Statement", "numbers place text")


def blocks(file):
    """The blocks of code in a file."""
    found, block, before, end = [], None, [], ""
    for number, line in enumerate((ROOT / file).read_text(encoding="utf-8").splitlines(), start=1):
        if file.endswith(".swift"):
            comment = re.match(r" */// ?(.*)", line)
            line = comment[1] if comment else None
        if line is None:
            block, before = None, [""]
        elif block is None:
            if fence := re.fullmatch(r" *(`{3,}|~{3,})([^`]*)", line):
                block, end = Block(fence[2], number + 1, [], "\n".join(before).strip()), fence[1]
            else:
                before.append(line)
        elif line.strip() == end:
            if block.lines:
                found.append(block)
            block, before = None, []
        else:
            block.lines.append(line)
    return found


def is_run(block):
    """Whether a block is a Swift sample that is a part of its file's program.

    A block that begins with "// In Package.swift" is a part of a manifest and left out. So is one that begins with "// With the trait":
    its module is empty where samples run, and the SampleTests of its module have the same code. One that begins with "// In Examples/" is an excerpt.
    """
    return block.language == "swift" and not re.match(r" *// (In Package.swift|In Examples/|With the trait)", block.lines[0])


def statements(file):
    """What the samples of a file say that they print, in their order."""
    found, sample = [], None
    for block in blocks(file):
        if is_run(block):
            sample = set(range(block.first, block.first + len(block.lines)))
            for number, line in enumerate(block.lines, start=block.first):
                if match := re.search(r"\bprint\(.*// prints: (.*)", line):
                    sample.discard(number)
                    found.append(Statement({number}, f"{file}:{number}", match[1]))
        elif sample and block.language == "text" and re.fullmatch(r"[^\n]*\bprints:", block.before):
            found.append(Statement(sample, f"{file}:{block.first}", "\n".join(block.lines)))
            sample = None
        else:
            sample = None
    return found


def unread_statements(file):
    """Faults of what is nearly a statement or a sample, which nothing would compare or compile."""
    places = {statement.place for statement in [*statements(file), *(statement for _, statement in commands(file))]}
    for block in blocks(file):
        place = f"{file}:{block.first}"
        if block.language not in ["", *LANGUAGES]:
            yield f"{place}: no block has the language \"{block.language}\"; the languages are {' '.join(LANGUAGES)}"
        if re.search(r"\bprints:$", block.before) and place not in places:
            yield f"{place}: the output is not compared; make it a `text` block, one line behind the `swift` or `sh` block"
        for number, line in enumerate(block.lines if is_run(block) else [], start=block.first):
            if re.search(r"/[/*] *print(s|ed)?\b", line, re.IGNORECASE) and not re.search(r"\bprint\(.*// prints: \S", line):
                yield f"{file}:{number}: write `print(…)  // prints: …`, so that the output is compared"


def commands(file):
    """The ```sh blocks of a file that state what they print, each as its commands and a statement."""
    found, sample = [], None
    for block in blocks(file):
        if sample and block.language == "text" and re.search(r"\bprints:$", block.before):
            found.append((sample.lines, Statement(set(), f"{file}:{block.first}", "\n".join(block.lines))))
        sample = block if block.language == "sh" and all(line.startswith("swift run keyspan ") for line in block.lines) else None
    return found


def is_printed(statement, text):
    """Whether a text is the one that a sample states."""
    wanted, found = ("\n".join(map(str.rstrip, each.strip("\n").split("\n"))) for each in (statement.text, text))
    return re.fullmatch(".*".join(map(re.escape, wanted.split("…"))), found, re.DOTALL) is not None


def samples(file, last=None):
    """The lines of the samples of a file, each sample below a line that keeps the file's line numbers in errors.

    The program ends behind the sample that has the last line, if one is given.
    """
    found = []
    for block in filter(is_run, blocks(file)):
        found += [f'#sourceLocation(file: "{file}", line: {block.first})', *block.lines, "#sourceLocation()"]
        if last in range(block.first, block.first + len(block.lines)):
            found.append("endSamples()")
    return found


def false_excerpts(file):
    """The excerpts of a file, as file and line, that are not in the examples that they name.

    The lines of an excerpt follow one another in the example, but for those that a line with an ellipsis stands for.
    """
    found = []
    for language, first, block, _ in blocks(file):
        name = re.match(r" *// In (Examples/\S+)", block[0])
        if language != "swift" or name is None:
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


def sample_program(file, last=None):
    """The program that the samples of a file form; `None` without samples."""
    lines = samples(file, last)
    if not lines:
        return None
    prelude = ""
    if file.endswith(".swift"):
        name = "sample-prelude-ui.swift" if file.startswith(APPLE_ONLY) else "sample-prelude.swift"
        prelude = (ROOT / ".ci" / name).read_text(encoding="utf-8")
    return prelude + "\n".join(lines) + "\n"


def running_program(file):
    """The program of a file that prints the line of each `print` with its text, up to the last sample that states what it prints."""
    last = max(number for statement in statements(file) for number in statement.numbers)
    return re.sub(r"(?<![\w.])print\(", "printLine(", sample_program(file, last))


def printed(text):
    """The texts that a running program has printed, each with the number of its line."""
    return [(int(number), part) for number, part in re.findall("\x02(\\d+)\x03(.*?)\x04", text, re.DOTALL)]
