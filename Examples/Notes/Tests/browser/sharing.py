"""Cases of several writers: conflicts of two persons, changes of the file from elsewhere, and a server that ends and comes back."""
import time

from programs import check


def decides_conflicts(case):
    """Of two persons with an editor for one key, the second one sees the first one's value before anything is overwritten."""
    server = case.serve()
    olga, ivan = case.window("olga").open(), case.window("ivan").open()
    for window in (olga, ivan):
        window.allow("status of 409")
        window.edit("title")
    ivan.enter("title", "Ivan's title")
    olga.enter("title", "Olga's title")
    olga.save("title")
    ivan.wait("the notice", lambda: "Olga's title" in ivan.conflict("title"))
    notice = ivan.conflict("title")
    check("olga" in notice, f"the notice has not the author: {notice}")
    check(ivan.control("title").get_attribute("value") == "Ivan's title", "what was entered is lost")
    ivan.click("title", "submit")
    check("Choose" in ivan.message and server.stored("title") == "Olga's title", "a value was overwritten before the choice")
    ivan.click("title", ".keep")
    ivan.save("title")
    check(server.stored("title") == "Ivan's title", "the chosen value was not saved")
    olga.wait_for_value("title", "Ivan's title")
    check("ivan" in olga.history[0] and "Olga's title → Ivan's title" in olga.history[0], f"the history has {olga.history[0]!r}")

    # The other choice.
    for window in (olga, ivan):
        window.edit("limits.notes")
    ivan.enter("limits.notes", "111")
    olga.enter("limits.notes", "222")
    olga.save("limits.notes")
    ivan.wait("the notice", lambda: "222" in ivan.conflict("limits.notes"))
    ivan.click("limits.notes", ".drop")
    check(not ivan.form("limits.notes") and ivan.cell("limits.notes") == "222", "the editor stays")
    check(server.stored("limits.notes") == 222, "the file has another value")

    # A change does not conflict with itself, also when its event comes before its answer.
    for number in range(5):
        ivan.edit("limits.notes")
        ivan.run("""
            window.notices = [];
            const place = document.querySelector("form.editor .conflict");
            new MutationObserver(() => place.hidden || window.notices.push(place.innerText)).observe(place, {attributes: true});""")
        ivan.enter("limits.notes", str(300 + number))
        ivan.save("limits.notes")
        check(not (notices := ivan.run("return window.notices")), f"one's own change is a conflict: {notices}")
    return f"the second person saw: {notice!r}; nothing was saved before the choice, and both choices work"


def decides_unseen_conflicts(case):
    """A page that does not receive events cannot overwrite what it has not seen: the server refuses, and the page shows both."""
    server = case.serve()
    olga = case.window("olga").open()
    ivan = case.window("ivan")
    ivan.allow("status of 409")
    ivan.allow("ERR_BLOCKED_BY_CLIENT")
    ivan.command("Network.enable")
    ivan.command("Network.setBlockedURLs", urls=["*/console/events*"])
    ivan.open(is_live=False)
    ivan.wait_for_connection("not connected")
    ivan.edit("title")
    ivan.enter("title", "Ivan's title")
    olga.change("title", "Olga's title")
    time.sleep(0.3)
    check(ivan.cell("title") == "Groceries" and not ivan.conflict("title"), "the page has received the change")
    ivan.click("title", "submit")
    ivan.wait("the notice", lambda: "Olga's title" in ivan.conflict("title"))
    check(server.stored("title") == "Olga's title", "an unseen value was overwritten")
    check(ivan.cell("title") == "Olga's title", "the row has the old value")
    check(ivan.control("title").get_attribute("value") == "Ivan's title", "what was entered is lost")

    # It changes once more before the choice.
    case.tool.write(server, "title", "-string", "From the tool")
    olga.wait_for_value("title", "From the tool")
    ivan.click("title", ".keep")
    ivan.click("title", "submit")
    ivan.wait("the second notice", lambda: "From the tool" in ivan.conflict("title"))
    check(server.stored("title") == "From the tool", "a second unseen value was overwritten")
    ivan.click("title", ".keep")
    ivan.save("title")
    check(server.stored("title") == "Ivan's title", "the chosen value was not saved")

    # In a batch, one conflict holds back all.
    for key, text in [("title", "Third"), ("theme", "dark")]:
        ivan.edit(key)
        ivan.enter(key, text)
    olga.change("theme", "dark")
    olga.change("theme", "light")
    ivan.one("#batch .save").click()
    ivan.wait("the notice of theme", lambda: "light" in ivan.conflict("theme"))
    check(server.stored("title") == "Ivan's title", "a part of the batch was saved")
    check(not ivan.conflict("title"), "the other setting is shown as a conflict")
    ivan.click("theme", ".keep")
    ivan.one("#batch .save").click()
    ivan.wait("closed editors", lambda: not ivan.all("form.editor"))
    check([server.stored("title"), server.stored("theme")] == ["Third", "dark"], "the batch was not saved after the choice")
    return "without events, 409 showed both values twice, and held back a batch until the choice"


def follows(case):
    """The page follows the file and survives the end of the server, without being loaded again."""
    server = case.serve()
    window = case.window().open()
    window.allow("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET")
    window.run("window.mark = 1")
    times = []
    for number in range(3):
        case.tool.write(server, "limits.notes", "-int", str(600 + number))
        begin = time.monotonic()
        window.wait_for_value("limits.notes", str(600 + number))
        times.append(time.monotonic() - begin)
    check("elsewhere" in window.history[0], f"the history has {window.history[0]!r}")
    check(len(window.history) == 3, f"the history has {len(window.history)} changes")
    check("changed" in window.one('tr[data-key="limits.notes"]').get_attribute("class"), "the row is not marked")

    # An editor stays open with its text while the server is away.
    window.edit("title")
    window.enter("title", "Entered before")
    stop = server.stop()
    window.wait_for_connection("not connected")
    window.click("title", "submit")
    window.wait("a message", lambda: "did not answer" in window.message)
    check(window.control("title").get_attribute("value") == "Entered before", "what was entered is lost")
    window.one('tr[data-key="theme"] button.edit').click()
    window.wait("a message", lambda: "did not answer" in window.message)
    check(not window.form("theme"), "an editor opened without a server")
    case.tool.write(server, "limits.notes", "-int", "700")
    server.start()
    begin = time.monotonic()
    window.wait_for_value("limits.notes", "700", 20)
    window.wait_for_connection()
    reconnection = time.monotonic() - begin
    changed = [row.get_attribute("data-key") for row in window.all("tr.changed")]
    check(changed == ["limits.notes"], f"these rows are marked as changed: {changed}")

    # The new run has other versions and another token.
    if window.conflict("title"):
        window.click("title", ".keep")
    window.save("title")
    window.change("limits.notes", "701")
    check([server.stored("title"), server.stored("limits.notes")] == ["Entered before", 701], "an edit after the restart was not saved")
    window.wait("both changes in the history of the new run", lambda: len(window.history) == 2)
    check(window.run("return window.mark") == 1, "the page was loaded again")
    return (f"changes of the tool after {max(times):.2f} s, the end of the server within {stop:.2f} s while a page follows, "
            f"caught up {reconnection:.1f} s after its start, edits work")


CASES = {"conflict": decides_conflicts, "unseen-conflict": decides_unseen_conflicts, "live": follows}
