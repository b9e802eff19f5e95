"""Cases of reading: the whole page, the sign-in, without JavaScript, and in a narrow window."""
from programs import PERSON, TOKEN, check

KEYS = ["title", "theme", "labels", "colors", "announcement", "isReadOnly", "refreshInterval", "logged", "logLevel", "darkShare", "signingKey",
        "limits.notes", "limits.noteSize", "server.listen", "server.token"]


def sees_rows(case):
    """The page has all keys in groups, with everything about each, and never the secret."""
    server = case.serve()
    window = case.window().open()
    groups = window.run("""
        return [...document.querySelectorAll("section.group")].map((group) => [
            group.querySelector("caption").innerText, ...[...group.querySelectorAll("tr[data-key]")].map((row) => row.dataset.key)]);""")
    check([group[0] for group in groups] == ["General", "limits", "server"], f"the groups are {groups}")
    shown = [key for group in groups for key in group[1:]]
    check(sorted(shown) == sorted(KEYS), f"the keys are {shown}")

    expected = {
        ("title", "Value"): "Groceries", ("title", "Type"): "String", ("title", "Default"): "Notes",
        ("title", "Rule"): "not empty", ("theme", "Source"): "default", ("limits.notes", "Value"): "500",
        ("limits.notes", "Default"): "1000", ("limits.noteSize", "Value"): "4KiB", ("refreshInterval", "Value"): "30s",
        ("labels", "Value"): '["home", "work"]', ("announcement", "Default"): "none",
    }
    for (key, label), text in expected.items():
        check((cell := window.cell(key, label)) == text, f"{label} of {key} is {cell!r} in place of {text!r}")
    check(window.cell("title", "Source").endswith("settings.jsonc:3"), f"the source is {window.cell('title', 'Source')}")
    check("--server.listen" in window.cell("server.listen", "Source"), "the source of server.listen is not the argument")
    check("1" in window.cell("limits.notes", "Rule"), "limits.notes shows no rule")
    row = window.one('tr[data-key="limits.notes"] th').text
    check("How many notes are kept" in row, f"the summary is missing: {row}")

    secret = window.cell("server.token")
    check("••••" in secret and "secret" in secret, f"the secret is shown as {secret}")
    check(TOKEN not in window.driver.page_source, "the page has the secret")
    check(TOKEN not in window.run("return document.documentElement.outerHTML"), "the document has the secret")
    bodies = window.bodies()
    check(len(bodies) >= 4, f"the browser has only {len(bodies)} bodies")
    check(all(TOKEN not in body for _, body in bodies), "a response has the secret")

    paint = window.wait("the first paint", lambda: window.run(
        "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
    received = window.run("return performance.getEntriesByType('navigation')[0].responseEnd")
    size = len(server.request("/")[2])
    return (f"{len(shown)} keys in {len(groups)} groups, the secret in none of {len(bodies)} responses, {size // 1024} KiB, "
            f"first paint after {paint:.0f} ms, {paint - received:.0f} ms after the response")


def signs_in(case):
    """The browser asks for a name and a password once, and the page works with a wrong one first, and with both in the address."""
    server = case.serve()
    window = case.window()
    window.allow(r"status of 401")
    window.sign_in.password = "wrong"
    window.open(is_live=False)
    check("Sign in to see the settings" in window.one("body").text, "a wrong password is not refused")
    check("Groceries" not in window.driver.page_source, "a wrong password shows settings")
    refused = len(window.sign_in.challenges)

    window.sign_in.password = TOKEN
    window.open()
    check(PERSON in window.one("header .person").text, "the page does not show the person")
    window.change("title", "After signing in")
    asked = len(window.sign_in.challenges) - refused
    check(asked == 1, f"the browser asked {asked} times")
    check(server.stored("title") == "After signing in", "the change was not saved")

    # Scripts may not request addresses that contain a password, and relative addresses would.
    other = case.window("ivan")
    other.secrets = []
    other.sign_in.close()
    other.driver.get(server.address.replace("//", f"//ivan:{TOKEN}@"))
    other.wait_for_connection()
    other.change("title", "By an address")
    check(server.stored("title") == "By an address", "the change of a page with a password in its address was not saved")
    return f"refused after {refused} wrong passwords, asked once for the right one, and works with both in the address"


def reads_without_script(case):
    """Without JavaScript, everything can be read and filtered, and nothing is shown that does nothing."""
    server = case.serve()
    case.tool.write(server, "title", "-string", "Long " * 200)
    window = case.window()
    window.command("Emulation.setScriptExecutionDisabled", value=True)
    window.open(is_live=False)
    for key in KEYS:
        check(window.cell(key), f"{key} has no value")
    check(window.cell("limits.notes") == "500", "limits.notes has no value")
    check("changed with it" in window.one("header").text, "nothing says that changes need JavaScript")

    def buttons():
        return [button.text for button in window.all("button, input[type=submit]") if button.is_displayed()]
    check(buttons() == ["Show"], f"these buttons are visible: {buttons()}")
    check(not window.one("#batch").is_displayed() and not window.one("#message").is_displayed(), "an empty message is visible")

    window.one("input[name=filter]").send_keys("limits")
    window.one("form[role=search] button").click()
    window.wait("the filtered page", lambda: "filter=limits" in window.driver.current_url)
    rows = [row.get_attribute("data-key") for row in window.all("tr[data-key]")]
    check(rows == ["limits.notes", "limits.noteSize"], f"the filter shows {rows}")
    check(window.one("#count").text == "2 of 15 settings", f"the count is {window.one('#count').text}")
    check(window.one("input[name=filter]").get_attribute("value") == "limits", "the filter is not in its field")

    window.open(is_live=False)
    whole = window.follow('tr[data-key="title"] td a')
    check(whole.startswith("Long Long") and len(whole) >= 999, f"the page of a value has {len(whole)} characters")

    # A filtered page lacks the other rows, so its script leaves the filter to the console.
    other = case.window().open("?filter=limits")
    field = other.one("input[name=filter]")
    field.clear()
    field.send_keys("isReadOnly")
    field.submit()
    other.wait("the row of isReadOnly", lambda: [row.get_attribute("data-key") for row in other.all("tr[data-key]")] == ["isReadOnly"])
    other.open()
    other.one("input[name=filter]").send_keys("LIMITS")
    rows = [row.get_attribute("data-key") for row in other.all("tr[data-key]") if row.is_displayed()]
    check(rows == ["limits.notes", "limits.noteSize"], f"the filter of the script shows {rows}")
    check(other.one("#count").text == "2 of 15 settings", f"the count is {other.one('#count').text}")
    return f"{len(KEYS)} values, the filter as a form, the page of a long value, no other button"


def reads_on_a_phone(case):
    """A narrow window has cards without horizontal scrolling, and follows the system's appearance."""
    server = case.serve()
    case.tool.write(server, "title", "-string", "Unbroken" * 40)
    case.tool.write(server, "labels", "-array", "a label that is somewhat long", "home")
    window = case.window()
    window.emulate(prefers_color_scheme="light")
    window.resize(390, 844, is_mobile=True)
    window.open()

    def check_width(width):
        actual = window.run("return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
        check(actual <= width, f"the page is {actual} pixels wide in a window of {width}")
        beyond = window.run("""
            return [...document.querySelectorAll("body *")].filter((it) => {
                const box = it.getBoundingClientRect();
                return box.width > 1 && box.height > 1 && (box.right > arguments[0] + 0.5 || box.left < -0.5) && !it.matches(".skip");
            }).map((it) => it.outerHTML.slice(0, 80));""", width)
        check(not beyond, f"these are cut off at {width} pixels: {beyond}")
    check_width(390)
    labels = window.run("""
        return [...document.querySelectorAll('tr[data-key="limits.notes"] td')].filter((cell) => cell.offsetHeight > 0).map((cell) =>
            [getComputedStyle(cell, "::before").content, cell.dataset.label]);""")
    check(len(labels) >= 5 and all(content == f'"{label}"' for content, label in labels), f"the labels are {labels}")
    small = [button.text for button in window.all("button")
             if button.is_displayed() and (button.size["height"] < 32 or button.size["width"] < 32)]
    check(not small, f"these buttons are small for a finger: {small}")

    for key in ["labels", "announcement", "limits.notes"]:
        window.edit(key)
    check_width(390)
    window.resize(320, 700, is_mobile=True)
    check_width(320)
    window.resize(390, 844, is_mobile=True)
    window.one("#batch .discard").click()
    window.change("limits.notes", "42")
    window.wait_for_value("limits.notes", "42")
    check(server.stored("limits.notes") == 42, "the change was not saved")

    colors = {}
    for scheme in ["light", "dark"]:
        window.emulate(prefers_color_scheme=scheme)
        colors[scheme] = window.run("return getComputedStyle(document.body).backgroundColor")
    check(colors["light"] == "rgb(255, 255, 255)" and colors["dark"] != colors["light"], f"the backgrounds are {colors}")
    return f"no scrolling sideways at 390 and 320 pixels, {len(labels)} labels, an edit, backgrounds {colors}"


CASES = {"rows": sees_rows, "sign-in": signs_in, "script-free": reads_without_script, "phone": reads_on_a_phone}
