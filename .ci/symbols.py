"""The symbols of the public modules, from the modules that `swift build` has made, for `.ci/build-docs` and `.ci/api`.

The build has all traits, because a module behind a trait is empty without it. The symbols of KeyspanUI exist on Apple systems only:
elsewhere they come from the last run of `.ci/check-apple macos`.
"""
import json
import os
import pathlib
import shutil

from means import ROOT, Failure, attempt, output, run

# The scratch folder of the builds with traits, so that they do not undo the builds without.
TRAITS = ("--enable-all-traits", "--scratch-path", ".build-traits")
APPLE_MODULES = ROOT / ".build-apple/macos/modules"


def products():
    """The names of the library products; each is a module."""
    package = json.loads(output("swift", "package", "dump-package"))
    return sorted(product["name"] for product in package["products"] if "library" in product["type"])


class Symbols:
    """Builds the modules, and writes the symbol graphs of each into a folder of its own in the given one, which is emptied first."""

    def __init__(self, folder):
        run("swift", "build", "--quiet", *TRAITS)
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        information = json.loads(output("swiftc", "-print-target-info"))
        self.target, self.resources = information["target"]["triple"], information["paths"]["runtimeResourcePath"]
        built = pathlib.Path(output("swift", "build", *TRAITS, "--show-bin-path"))
        # C modules of packages, which the modules of `swift build` import.
        maps = sorted(ROOT.glob(".build-traits/checkouts/*/Sources/*/include/module.modulemap"))
        self.options = ["-I", built / "Modules", *(option for path in maps for option in ("-I", path.parent))]
        # Those that have no map of their own have one that the build makes; a second one for macros would be the same module twice.
        made = [path for path in built.glob("*.build/module.modulemap") if not path.parent.stem.endswith("-tool")]
        self.options += [option for path in sorted(made) for option in ("-Xcc", f"-fmodule-map-file={path}")]

    @property
    def is_apple(self):
        """Whether this is an Apple system, whose modules have everything."""
        return "apple" in self.target

    def extract(self, module):
        """Writes the symbols of a module as this system sees it, and returns their folder."""
        return self.write(module, self.target, *self.options)

    def extract_for_apple(self, module):
        """Writes the symbols of a module as macOS sees it, and returns their folder; `None` without a build of the present sources."""
        files = list((APPLE_MODULES / f"{module}.swiftmodule").glob("*.swiftmodule"))
        sources = [path.stat().st_mtime for path in ROOT.glob(f"Sources/{module}/**/*.swift")]
        if not files or os.path.getmtime(files[0]) < max(sources):
            return None
        stubs = [option for path in ROOT.glob("Tests/AppleStubs/*/module.modulemap") for option in ("-I", path.parent)]
        return self.write(
            module, files[0].name.split("-")[0] + "-apple-macosx15.0", "-resource-dir", self.resources, "-I", APPLE_MODULES,
            "-I", f"{self.resources}/shims", "-Xcc", f"-fmodule-map-file={self.resources}/shims/module.modulemap",
            "-Xcc", "-nostdlibinc", *stubs, "-module-cache-path", self.folder / "cache",
        )

    def write(self, module, target, *options):
        folder = self.folder / module
        folder.mkdir(parents=True)
        status, text = attempt(
            "swift-symbolgraph-extract", "-module-name", module, "-target", target, *options, "-output-dir", folder,
            "-minimum-access-level", "public", "-include-spi-symbols", "-emit-extension-block-symbols", "-skip-inherited-docs",
        )
        if status != 0:
            raise Failure(f"the symbols of {module} cannot be extracted:\n{text}")
        return folder
