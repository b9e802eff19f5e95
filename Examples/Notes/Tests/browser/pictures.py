"""The pictures of the documentation, which are windows of this check in a sensible state."""
import os
import pathlib
import shutil

from means import LeftOut, install, need, quiet
from programs import check, wait_until

SETTINGS = """\
{
  "title": "Groceries",
  "labels": ["home", "work", "garden"],
  "limits": {"notes": 500},
  "server": {"token": "token-Zf81qPw-of-the-server"}
}
"""
# Debian's standard fonts are older than the systems that people use.
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><include>/etc/fonts/fonts.conf</include>
<match target="pattern"><test name="family"><string>sans</string></test>
<edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>
<match target="pattern"><test name="family"><string>sans-serif</string></test>
<edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>
<match target="pattern"><test name="family"><string>system-ui</string></test>
<edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>
<match target="pattern"><test name="family"><string>monospace</string></test>
<edit name="family" mode="assign" binding="strong"><string>JetBrains Mono</string></edit></match>
</fontconfig>"""
LARGEST = 150 * 1024


def make_pictures(case, folder):
    """Makes the pictures in a folder; returns their sizes."""
    if not install("fonts-inter", "fonts-jetbrains-mono") or not need("pngquant"):
        raise LeftOut("the pictures (they need Debian's fonts-inter, fonts-jetbrains-mono and pngquant)")
    fonts = pathlib.Path(case.folder, "fonts.conf")
    fonts.write_text(FONTS)
    os.environ["FONTCONFIG_FILE"] = str(fonts)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}

    def picture(window, name):
        # The marks of changes have faded by then.
        window.command("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        window.run("document.getAnimations().forEach((animation) => animation.finish()); document.activeElement.blur();")
        path = folder / f"{name}.png"
        window.driver.save_screenshot(str(path))
        quiet(f"{path} cannot be compressed", "pngquant", "--force", "--strip", "--ext=.png", "--skip-if-larger", 256, path)
        check(path.stat().st_size <= LARGEST, f"{path} has {path.stat().st_size} bytes")
        sizes[name] = path.stat().st_size // 1024

    # The page shows the path of the file.
    place = pathlib.Path("/tmp/notes")
    check(not place.exists(), f"{place} is in the way")
    place.mkdir()
    case.cleanups.append(lambda: shutil.rmtree(place))
    case.folder = place
    server = case.serve(SETTINGS, name="notes.json")
    olga, ivan = case.window("olga"), case.window("ivan")
    for window in (olga, ivan):
        window.emulate(prefers_color_scheme="light")
        window.resize(1200, 820)
        window.open()
    ivan.change("limits.notes", "750")
    ivan.change("refreshInterval", "1m")
    olga.change("theme", "dark")
    olga.edit("colors")
    olga.paste("colors", '{"home": "#1a7f4b", "work": "#0b5cad"}')
    olga.save("colors")
    case.tool.write(server, "announcement", "-dict", "text", "-string", "Closed on Monday", "isUrgent", "-bool", "false")
    ivan.wait("the announcement", lambda: "Monday" in ivan.cell("announcement"))
    wait_until("all changes in the file", lambda: "Monday" in server.text and "1a7f4b" in server.text)
    olga.open()
    picture(olga, "console")
    olga.emulate(prefers_color_scheme="dark")
    picture(olga, "console~dark")
    olga.emulate(prefers_color_scheme="light")

    # The page receives the change when the file has it, so that the row has its line.
    olga.allow("ERR_BLOCKED_BY_CLIENT")
    olga.command("Network.enable")
    olga.command("Network.setBlockedURLs", urls=["*/console/events*"])
    olga.open(is_live=False)
    olga.edit("title")
    olga.enter("title", "Weekly groceries")
    ivan.change("title", "Shopping list")
    wait_until("the other title in the file", lambda: "Shopping" in server.text)
    # The console looks for the lines again when a page is loaded.
    ivan.open()
    olga.command("Network.setBlockedURLs", urls=[])
    olga.wait_for_connection()
    olga.wait("the notice", lambda: olga.conflict("title"))
    olga.run("window.scrollTo(0, 0)")
    olga.resize(1200, 620)
    picture(olga, "console-conflict")
    olga.click("title", ".drop")

    olga.resize(390, 844, is_mobile=True)
    olga.command("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    olga.open()
    olga.edit("limits.notes")
    olga.run("""document.querySelector('tr[data-key="limits.notes"]').closest("section").scrollIntoView();""")
    picture(olga, "console-phone")
    olga.click("limits.notes", ".cancel")
    return ", ".join(f"{name}: {size} KiB" for name, size in sizes.items())
