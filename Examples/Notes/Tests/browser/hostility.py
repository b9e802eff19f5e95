"""Cases of hostile values: scripts, controls of text direction, and large values."""
import json

from selenium.webdriver.common.keys import Keys

from programs import check

SCRIPT = """"'></textarea></script><script>window.hit=1;alert(1)</script><img src=x onerror="window.hit=2;alert(2)">&amp;&#60;`${1}"""
BIDI = "admin\u202etxt.exe\u2066 \u200fabc\u0007"


def shows_markup(case):
    """Markup in a value is text everywhere: in rows, notices, the history, editors, explanations, and the page of a value."""
    server = case.serve()
    window = case.window().open()
    window.allow("status of 422")
    other = case.window("<b>ivan</b>").open()
    check("<b>ivan</b>" in other.one("header .person").text, "the name of a person is not text")

    other.edit("title")
    window.change("title", SCRIPT)
    check(server.stored("title") == SCRIPT, f"the file has {server.stored('title')!r}")
    check(window.cell("title") == SCRIPT, f"the title is shown as {window.cell('title')!r}")
    other.wait("the notice", lambda: SCRIPT in other.conflict("title"))
    window.wait("the history", lambda: window.history)
    check(SCRIPT in window.history[0], f"the history has {window.history[0]!r}")
    window.edit("title")
    check(window.control("title").get_attribute("value") == SCRIPT, "the control has another text")
    window.control("title").send_keys(Keys.END, "!")
    window.save("title")
    check(server.stored("title") == SCRIPT + "!", "editing damaged the value")

    # In lists, in JSON, and in an explanation of a rule.
    case.tool.write(server, "labels", "-array", "-string", SCRIPT, "plain")
    case.tool.write(server, "colors", "-dict", SCRIPT, "-string", SCRIPT)
    window.wait("the labels", lambda: "onerror" in window.cell("labels") and "onerror" in window.cell("colors"))
    window.edit("labels")
    window.save("labels")
    check(server.stored("labels") == [SCRIPT, "plain"], "editing damaged the labels")
    window.edit("colors")
    check(json.loads(window.control("colors").get_attribute("value")) == {SCRIPT: SCRIPT}, "the control of JSON has another text")
    window.save("colors")
    check(server.stored("colors") == {SCRIPT: SCRIPT}, "editing damaged the colors")
    window.edit("refreshInterval")
    window.enter("refreshInterval", SCRIPT)
    window.click("refreshInterval", "submit")
    window.wait("an explanation", lambda: window.error("refreshInterval"))
    window.open("?filter=" + "%22%3E%3Cscript%3Ewindow.hit=3%3C/script%3E")
    check(window.one("input[name=filter]").get_attribute("value") == '"><script>window.hit=3</script>', "the filter is another text")
    # The filter is the person's own text, not a value.
    window.entered.clear()
    window.driver.get(server.address + "value?key=title")
    check(window.one("pre.value").text == SCRIPT + "!", "the page of a value has another text")
    for each in (window, other):
        check(each.run("return window.hit ?? null") is None, "a script of a value was executed")
        check(not each.all("img, main script, #history script"), "the page has elements of a value")
    return f"{len(SCRIPT)} characters of markup were shown as text in 8 places, edited, and never executed"


def shows_directions(case):
    """Controls of direction are shown as escapes and survive an edit."""
    server = case.serve()
    server.file.write_text(server.text.replace('"Groceries"', json.dumps(BIDI)))
    window = case.window().open()
    escaped = "admin\\u{202e}txt.exe\\u{2066} \\u{200f}abc\\u{7}"
    window.wait_for_value("title", escaped)
    check("\u202e" not in window.driver.page_source, "the page has a control of direction")
    window.edit("title")
    text = window.control("title").get_attribute("value")
    check("\\u202e" in text and json.loads(text) == BIDI, f"the control has {text!r}")
    window.paste("title", text.replace("abc", "abcd"))
    window.save("title")
    check(server.stored("title") == BIDI.replace("abc", "abcd"), f"editing damaged the value: {server.stored('title')!r}")
    window.edit("title")
    window.paste("title", '"plain"')
    window.save("title")
    window.edit("title")
    check(window.control("title").get_attribute("value") == "plain", "a plain text is still edited as JSON")
    return f"shown as {escaped}, edited as JSON without damage"


def shows_large(case):
    """A value of 100 KB leaves the page small, is shown whole on demand, and can be edited."""
    server = case.serve()
    large = "\n" + "é<b> \"quoted\"\n" * 6500 + "the end"
    server.file.write_text(server.text.replace('"Groceries"', json.dumps(large, ensure_ascii=False)))
    size = len(large.encode())
    window = case.window().open()
    window.wait("the value", lambda: "é<b>" in window.cell("title"))
    page = server.request("/")[2]
    check(len(page) < 60_000, f"the page has {len(page)} bytes")
    height = window.one('tr[data-key="title"]').size["height"]
    check(height < 900, f"the row is {height} pixels high")
    link = window.one('tr[data-key="title"] td a')
    check(link.text == f"all {size} bytes", f"the link is {link.text!r}")
    whole = window.follow('tr[data-key="title"] td a')
    check(whole == large, f"the page of the value has {len(whole)} of {len(large)} characters")

    window.open()
    window.edit("title")
    check(window.run("return arguments[0].value", window.control("title")) == large, "the control has another text")
    window.paste("title", large + "!")
    window.save("title")
    check(server.stored("title") == large + "!", "editing damaged the value")
    window.wait("the history", lambda: window.history)
    page = server.request("/")[2]
    check(len(page) < 60_000, f"the page with the history has {len(page)} bytes")
    window.open()
    window.entered.clear()
    return f"{size} bytes in a page of {len(page) // 1024} KiB, shown whole and edited"


CASES = {"markup": shows_markup, "directions": shows_directions, "large": shows_large}
