"""Cases of editing: each kind of control, invalid values, and several changes as one batch."""
import re
import time

from selenium.webdriver.common.by import By

from programs import PERSON, TOKEN, check, wait_until


def edits(case):
    """Each kind of control saves its value, and the history has what, when and by whom."""
    server = case.serve()
    window = case.window().open()

    def check_control(key, **expected):
        control = window.control(key)
        actual = {name: control.get_attribute(name) for name in expected}
        check(actual == expected, f"the control of {key} is {actual}")

    window.edit("isReadOnly")
    check_control("isReadOnly", type="checkbox", role="switch")
    window.enter("isReadOnly", "true")
    window.save("isReadOnly")

    window.edit("limits.notes")
    check_control("limits.notes", type="number", min="1", max="1000000", value="500")
    window.enter("limits.notes", "250")
    window.save("limits.notes")

    window.edit("theme")
    options = [option.text for option in window.control("theme").find_elements(By.TAG_NAME, "option")]
    check(options == ["light", "dark"], f"the choices of theme are {options}")
    window.enter("theme", "dark")
    window.save("theme")

    window.change("title", "Fish & <chips>, \"fresh\"")

    form = window.edit("labels")
    form.find_element(By.CSS_SELECTOR, ".remove").click()
    form.find_element(By.CSS_SELECTOR, ".add").click()
    form.find_elements(By.NAME, "value")[-1].send_keys("garden, \"back\"")
    window.save("labels")

    for key, text in [("colors", '{"home": "#fff"}'), ("announcement", '{"text": "Open", "isUrgent": false}'),
                      ("announcement", '{"text": "Closed", "isUrgent": true}')]:
        window.edit(key)
        control = window.control(key)
        check(control.tag_name == "textarea" or server.stored(key) is None, f"the control of {key} is not for JSON")
        window.paste(key, text)
        window.save(key)

    for key, text in [("refreshInterval", "1m30s"), ("noteSize", "8KiB"), ("logged", "50%"), ("logLevel", "debug")]:
        key = "limits.noteSize" if key == "noteSize" else key
        window.change(key, text)
        window.wait_for_value(key, text)

    expected = {
        "isReadOnly": True, "limits.notes": 250, "theme": "dark", "title": "Fish & <chips>, \"fresh\"",
        "labels": ["work", "garden, \"back\""], "colors": {"home": "#fff"},
        "announcement": {"text": "Closed", "isUrgent": True}, "logLevel": "debug",
    }
    stored = {key: server.stored(key) for key in expected}
    check(stored == expected, f"the file has {stored}")
    wait_until("the changes in the file", lambda: '"debug"' in server.text)
    check("{\n  // The settings of the browser check.\n" in server.text, f"the file has lost its comment:\n{server.text}")
    check('\n\n  "server": {"token"' in server.text, f"the file has lost its layout:\n{server.text}")
    check(window.cell("title") == "Fish & <chips>, \"fresh\"", f"the title is shown as {window.cell('title')}")

    window.wait("12 changes in the history", lambda: len(window.history) == 12)
    history = window.history
    check(re.search(rf"{PERSON}\s+logLevel info → debug", history[0].replace("none", "info")), f"the last change is {history[0]!r}")
    check(re.search(rf"{PERSON}\s+limits.notes 500 → 250", history[-2]), f"the second change is {history[-2]!r}")
    age = window.run("return Date.now() - Date.parse(document.querySelector('#history time').dateTime)")
    check(-2000 < age < 300_000, f"the last change was {age} ms ago by the history")
    check(PERSON in window.cell("title", "Changed"), f"the row of title says {window.cell('title', 'Changed')}")

    window.change("title", "Another")
    window.edit("title")
    window.click("title", ".reset")
    window.wait_for_closing("title")
    check(server.stored("title") is None and window.cell("title") == "Notes", "the default has not come back")

    # The secret last, since it signs the person out.
    secret = "another-token-Q7"
    window.edit("server.token")
    check_control("server.token", value="")
    hidden = window.run("const it = arguments[0]; return it.type === 'password' || getComputedStyle(it).webkitTextSecurity === 'disc'",
                        window.control("server.token"))
    check(hidden, "the secret can be read while it is entered")
    window.secrets.append(secret)
    window.control("server.token").send_keys(secret)
    window.save("server.token")
    check(server.stored("server.token") == secret, "the secret was not saved")
    window.wait("the change of the secret in the history", lambda: "another secret value" in window.history[0])
    check(server.request("/", token=TOKEN)[0] == 401, "the old token still opens the console")
    window.sign_in.password = secret
    before = len(window.sign_in.challenges)
    window.open()
    check(len(window.sign_in.challenges) > before, "the browser did not ask for the new token")
    check(secret not in window.driver.page_source, "the page has the new secret")
    return f"{len(expected) + 4} keys in all kinds of controls, and a reset; the file kept its comment; {len(history)} changes by {PERSON}"


def refuses_invalid(case):
    """An invalid value is explained at its control and not saved; the corrected one is."""
    server = case.serve()
    window = case.window().open()
    window.allow("status of 422")
    before = server.settings
    seen = []
    for key, bad, words, good in [
        ("limits.notes", "0", "1", "300"), ("limits.notes", "2000000", "1000000", "301"),
        ("refreshInterval", "2 parsecs", "", "2m"), ("refreshInterval", "2h", "", "3m"), ("title", "", "empty", "Full"),
        ("server.listen", "nowhere", "", None),
    ]:
        window.edit(key)
        window.enter(key, bad)
        window.click(key, "submit")
        window.wait(f"an explanation for {bad} in {key}", lambda: window.error(key))
        error = window.error(key)
        check(words in error, f"the explanation of {bad} in {key} is {error!r}")
        check(window.control(key).get_attribute("aria-invalid") == "true", f"the control of {key} is not marked")
        check(window.run("return document.activeElement === arguments[0]", window.control(key)), f"{key} has not the keyboard")
        check(server.settings == before, f"{bad} in {key} was saved")
        seen.append(error)
        if good is None:
            window.click(key, ".cancel")
            continue
        window.enter(key, good)
        window.save(key)
        window.wait_for_value(key, good)
        check(server.settings != before, f"{good} in {key} was not saved")
        before = server.settings

    window.edit("colors")
    text = '{\n  "home": "red",\n  "work" "blue"\n}'
    window.paste("colors", text)
    window.click("colors", "submit")
    window.wait("an explanation for the JSON", lambda: window.error("colors"))
    error = window.error("colors")
    check("line 3" in error and "column 10" in error, f"the explanation of the JSON is {error!r}")
    start, end = window.run("return [arguments[0].selectionStart, arguments[0].selectionEnd]", window.control("colors"))
    check(start == text.index('"blue"') and end == start + 1, f"the caret is at {start}, before {text[start:start + 8]!r}")
    window.press('"" : '[3:])
    window.paste("colors", text.replace('"work" ', '"work": '))
    window.save("colors")
    check(server.stored("colors") == {"home": "red", "work": "blue"}, "the corrected JSON was not saved")

    # A value of the right form and the wrong kind.
    window.edit("announcement")
    window.paste("announcement", '{"text": 5}')
    window.click("announcement", "submit")
    window.wait("an explanation for the kind", lambda: window.error("announcement"))
    check(server.stored("announcement") is None, "a value of the wrong kind was saved")
    window.click("announcement", ".cancel")
    return f"{len(seen) + 2} explanations, such as {error!r} with the caret there; the corrected values were saved"


def saves_batches(case):
    """Several changes are saved together, or none of them."""
    server = case.serve()
    window = case.window().open()
    window.allow("status of 422")
    before = server.settings
    for key, text in [("title", "Batch"), ("theme", "dark"), ("limits.notes", "0"), ("isReadOnly", "true")]:
        window.edit(key)
        window.enter(key, text)
    check("4 settings" in window.one("#batch").text, f"the bar says {window.one('#batch').text!r}")
    window.one("#batch .save").click()
    window.wait("an explanation", lambda: window.error("limits.notes"))
    time.sleep(0.2)
    check(server.settings == before, "a part of the batch was saved")
    check(len(window.all("form.editor")) == 4, "an editor has closed")
    check(not window.error("title") and "saved" in window.message, f"the page says {window.message!r}")

    window.enter("limits.notes", "77")
    window.one("#batch .save").click()
    window.wait("closed editors", lambda: not window.all("form.editor"))
    window.wait("the history", lambda: window.history)
    stored = [server.stored(key) for key in ["title", "theme", "limits.notes", "isReadOnly"]]
    check(stored == ["Batch", "dark", 77, True], f"the file has {stored}")
    check(len(window.history) == 1 and window.history[0].count("→") == 4, f"the history has {window.history}")
    check(not window.one("#batch").is_displayed(), "the bar stays")

    # An editor in which nothing was entered is not part of a batch: an empty one would take a secret away.
    for key in ["title", "server.token"]:
        window.edit(key)
    window.one("#batch .save").click()
    window.wait("a message", lambda: "Nothing was changed" in window.message)
    window.enter("title", "Alone")
    window.one("#batch .save").click()
    window.wait_for_closing("title")
    check(server.stored("title") == "Alone" and server.stored("server.token") == TOKEN, "an untouched editor was saved")
    check(len(window.all("form.editor")) == 1, "an untouched editor has closed")

    window.edit("theme")
    window.one("#batch .discard").click()
    check(not window.all("form.editor") and not window.one("#batch").is_displayed(), "discarding leaves an editor")
    return "4 changes with an invalid one saved nothing; corrected, they are one change in the history"


CASES = {"edits": edits, "invalid": refuses_invalid, "batch": saves_batches}
