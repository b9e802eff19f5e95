"""Cases of use without a mouse or without sight: the keyboard, the accessibility tree, and contrast."""
from selenium.webdriver.common.keys import Keys

from programs import check

# Roles of elements that a person operates.
OPERATED = {"button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "switch", "spinbutton"}

# The contrast of each visible text with the color behind it (WCAG 2.2, section 1.4.3), the lowest first.
CONTRAST = """
    const parse = (color) => {
        const numbers = /^rgba?\\(([^)]*)\\)$/.exec(color)?.[1].split(/[ ,/]+/).map(Number);
        if (!numbers) throw new Error("a color in another form: " + color);
        return numbers.length === 4 ? numbers : [...numbers, 1];
    };
    const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
    const behind = (it) => {
        const color = parse(getComputedStyle(it).backgroundColor);
        if (color[3] === 1) return color;
        return over(color, it.parentElement ? behind(it.parentElement) : [255, 255, 255, 1]);
    };
    const luminance = (color) => {
        const [r, g, b] = color.slice(0, 3).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return [...document.querySelectorAll("body *")].filter((it) => it.offsetWidth > 1 && it.offsetHeight > 1
        && (it.matches("input, select, textarea") || [...it.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))).map((it) => {
        const back = behind(it), style = getComputedStyle(it);
        const [a, b] = [luminance(over(parse(style.color), back)), luminance(back)].sort((x, y) => y - x);
        return [(a + 0.05) / (b + 0.05), it.outerHTML.slice(0, 80), style.color];
    }).sort((x, y) => x[0] - y[0]);"""


def works_by_keyboard(case):
    """A setting is changed by the keyboard alone; the focus is visible, and returns to where it came from."""
    server = case.serve()
    window = case.window().open()
    window.allow("status of 422")
    window.press(Keys.TAB)
    check(window.focus == "Skip to the settings", f"the first element is {window.focus!r}")
    check(window.run("return document.activeElement.getBoundingClientRect().left >= 0"), "the link of skipping is not visible")

    def tab_to(name, limit=40):
        for count in range(limit):
            if window.focus == name:
                return count
            window.press(Keys.TAB)
        check(False, f"{limit} tabs do not reach {name}")
    tabs = tab_to("Change limits.notes")
    outline = window.run("const s = getComputedStyle(document.activeElement); return [s.outlineStyle, parseFloat(s.outlineWidth)]")
    check(outline[0] != "none" and outline[1] >= 2, f"the focus is shown as {outline}")

    window.press(Keys.ENTER)
    window.wait("the editor with the keyboard", lambda: window.focus == "New value of limits.notes")
    window.press("5", Keys.ENTER)
    window.wait_for_closing("limits.notes")
    window.wait("the focus", lambda: window.focus == "Change limits.notes")
    window.wait_for_value("limits.notes", "5")
    check(server.stored("limits.notes") == 5, "the change was not saved")
    window.wait("the history", lambda: window.history)
    check(window.focus == "Change limits.notes", f"after the event, the focus is at {window.focus!r}")

    window.press(Keys.SPACE)
    window.wait("the editor with the keyboard", lambda: window.focus == "New value of limits.notes")
    window.press("9", Keys.ESCAPE)
    check(not window.form("limits.notes") and window.focus == "Change limits.notes", "Escape does not cancel")
    check(server.stored("limits.notes") == 5, "Escape saved")

    # Elements of a list are added, filled and removed.
    window.edit("labels")
    tab_to("Add an element")
    window.press(Keys.ENTER, "shop", Keys.TAB, Keys.TAB)
    check(window.focus == "Save" or window.focus == "Add an element", f"after the last element comes {window.focus!r}")
    window.form("labels").find_elements("css selector", ".remove")[0].send_keys(Keys.ENTER)
    check(window.run("return document.activeElement.value") == "work", f"after removing, the focus is at {window.focus!r}")
    window.press(Keys.ENTER)
    window.wait_for_closing("labels")
    check(server.stored("labels") == ["work", "shop"], f"the labels are {server.stored('labels')}")

    # A change from elsewhere does not take the focus away.
    tab_to("Change limits.noteSize")
    case.tool.write(server, "limits.noteSize", "-string", "6KiB")
    window.wait_for_value("limits.noteSize", "6KiB")
    check(window.focus == "Change limits.noteSize", f"after a change from elsewhere the focus is at {window.focus!r}")
    return f"{tabs} tabs to a setting; Enter saves, Escape cancels, and the focus returns"


def speaks(case):
    """The accessibility tree has a name for each control, headers for the tables, and the roles of messages."""
    case.serve()
    window = case.window().open()
    window.allow("status of 422")
    other = case.window("ivan").open()
    for key in ["isReadOnly", "title", "theme", "labels", "colors", "limits.notes", "server.token"]:
        window.edit(key)
    other.change("title", "Changed meanwhile")
    window.wait("the notice", lambda: window.conflict("title"))
    window.enter("limits.notes", "0")
    window.click("limits.notes", "submit")
    window.wait("an explanation", lambda: window.error("limits.notes"))

    nodes = [node for node in window.command("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    found = {}
    for node in nodes:
        found.setdefault(node["role"]["value"], []).append(node)
    controls = [node for role in OPERATED for node in found.get(role, [])]
    unnamed = [node["role"]["value"] for node in controls if not node.get("name", {}).get("value", "").strip()]
    check(not unnamed, f"controls without a name: {unnamed}")
    names = [node["name"]["value"] for node in found["button"] if node["name"]["value"].startswith("Change ")]
    check(len(names) == len(set(names)) == 15, f"the buttons are {names}")
    for role in ["switch", "combobox", "spinbutton", "searchbox", "alert", "status", "main", "banner", "table", "heading"]:
        check(role in found, f"no element has the role {role}; the roles are {sorted(found)}")
    headers = {name["name"]["value"] for name in found.get("columnheader", [])}
    check({"Name", "Value", "Type", "Default", "Source", "Rule", "Changed"} <= headers, f"the headers are {headers}")
    rows = [node["name"]["value"] for node in found.get("rowheader", [])]
    check(len(rows) == 15, f"the headers of rows are {rows}")
    tables = [node.get("name", {}).get("value") for node in found["table"]]
    check(tables == ["General", "limits", "server"], f"the tables are {tables}")
    control = next(node for node in found["spinbutton"])
    properties = {each["name"]: each["value"].get("value") for each in control["properties"]}
    check(properties.get("invalid") == "true", "an invalid control is not marked")
    check(window.error("limits.notes") in control.get("description", {}).get("value", ""), "a control has no explanation")
    return f"{len(controls)} controls with a name, {len(rows)} row headers, {len(found['alert'])} alerts, {len(found['status'])} statuses"


def contrasts(case):
    """Each text has a contrast of 4.5 or more, in both appearances, also in editors, notices and messages."""
    case.serve()
    window = case.window()
    window.emulate(prefers_color_scheme="light", prefers_reduced_motion="reduce")
    window.open()
    window.allow("status of 422")
    other = case.window("ivan").open()
    for key in ["labels", "title", "theme", "limits.notes", "server.listen"]:
        window.edit(key)
    other.change("title", "Changed meanwhile")
    other.change("isReadOnly", "true")
    window.enter("title", "Mine")
    window.wait("the notice", lambda: window.conflict("title"))
    window.wait("the row", lambda: "changed" in window.one('tr[data-key="isReadOnly"]').get_attribute("class"))
    window.one("#batch .save").click()
    window.enter("limits.notes", "0")
    window.click("limits.notes", "submit")
    window.wait("an explanation", lambda: window.error("limits.notes"))
    window.one("#batch .save").click()
    window.wait("a message", lambda: window.message)

    lowest = {}
    for scheme in ["light", "dark"]:
        window.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
        texts = window.run(CONTRAST)
        low = [text for text in texts if text[0] < 4.5]
        check(not low, f"{scheme}: these texts have little contrast: {low[:8]}")
        lowest[scheme] = (round(texts[0][0], 2), len(texts))
    return ", ".join(f"{scheme}: at least {low} in {count} texts" for scheme, (low, count) in lowest.items())


CASES = {"keyboard": works_by_keyboard, "speech": speaks, "contrast": contrasts}
