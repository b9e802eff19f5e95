"""Cases of defense: what strangers, other sites and requests without a page get, and what the browser enforces."""
import json

from programs import TOKEN, check

POLICY = ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]

# Everything that a page of another site can try with the credentials that the browser has.
ATTACK = """<!DOCTYPE html><title>attack</title>
<script src="{console}console.js" onload="got.push('script')" onerror="refused.push('script')"></script>
<img src="{console}" onload="got.push('image')" onerror="refused.push('image')">
<script>
var got = got || [], refused = refused || [], tried = 0;
const body = {body};
(async () => {{
  const attempt = async (name, place, options) => {{
    tried += 1;
    try {{
      const answer = await fetch("{console}" + place, {{credentials: "include", ...options}});
      const text = await answer.text();
      (text ? got : refused).push(name + ":" + answer.type);
    }} catch {{ refused.push(name); }}
  }};
  await attempt("read", "", {{}});
  await attempt("read without cors", "", {{mode: "no-cors"}});
  await attempt("editor", "editor?key=title", {{}});
  await attempt("json", "changes", {{method: "POST", body, headers: {{"Content-Type": "application/json", "X-Keyspan-Token": "0"}}}});
  await attempt("text", "changes", {{method: "POST", body, mode: "no-cors", headers: {{"Content-Type": "text/plain"}}}});
  await attempt("beacon", "changes", {{method: "POST", body, mode: "no-cors", keepalive: true}});
  navigator.sendBeacon("{console}changes", new Blob([body], {{type: "text/plain"}}));
  await new Promise((resolve) => {{
    const events = new EventSource("{console}events", {{withCredentials: true}});
    events.onmessage = events.onopen = () => {{ got.push("events"); resolve(); }};
    events.onerror = () => {{ refused.push("events"); events.close(); resolve(); }};
  }});
  document.title = "done";
}})();
</script>"""
FORM = """<!DOCTYPE html><title>form</title>
<form method="post" action="{console}changes" enctype="text/plain"><input name='{name}' value='{value}'></form>
<script>document.forms[0].submit();</script>"""
FRAME = """<!DOCTYPE html><title>frame</title><iframe id="frame" src="{console}" width="600" height="400"></iframe>"""


def page_version(server):
    """A token and the version of title, as the page of the console has them."""
    text = server.request("/")[2]
    token = text.split('name="keyspan-token" content="')[1].split('"')[0]
    version = text.split('data-key="title" data-version="')[1].split('"')[0]
    return token, version


def resists_other_sites(case):
    """A page of another origin and one of another site cannot change, read or frame anything with the browser's credentials."""
    server = case.serve()
    window = case.window().open()
    # The browser has the credentials now. Nothing of the test stands between it and the server anymore.
    window.sign_in.close()
    window.allow(r"127\.0\.0\.1:|localhost:|ERR_BLOCKED|CORS|Refused to|Framing|status of 40[13]")
    other = case.other_origin()
    _, version = page_version(server)
    body = json.dumps({"changes": [{"key": "title", "version": version, "text": "Attacked"}]})
    before, opened, refused = server.settings, [], []
    for host in ["127.0.0.1", "localhost"]:
        other.pages["/attack"] = ATTACK.format(console=server.address, body=json.dumps(body))
        window.driver.get(f"http://{host}:{other.port}/attack")
        window.wait(f"the end of the attack from {host}", lambda: window.driver.title == "done", 20)
        opened += window.run("return got")
        refused += window.run("return refused")
        # The text is `<name>=<value>`: JSON with the equals sign inside of a string.
        name, value = body[:-4] + "x", body[-4:]
        other.pages["/form"] = FORM.format(console=server.address, name=name, value=value)
        window.driver.get(f"http://{host}:{other.port}/form")
        window.wait("the answer to the form", lambda: "/changes" in window.driver.current_url)
        answer = window.one("body").text
        check("own page only" in answer, f"the form is answered with {answer!r}")
        other.pages["/frame"] = FRAME.format(console=server.address)
        window.driver.get(f"http://{host}:{other.port}/frame")
        window.driver.switch_to.frame(window.one("#frame"))
        # The page of the error comes after the blank one.
        window.wait("the page in the frame", lambda: window.run("return location.href") != "about:blank")
        framed = window.run("return location.href + ' ' + document.title")
        window.driver.switch_to.default_content()
        check("Settings" not in framed and "chrome-error" in framed, f"the console is framed: {framed}")
    check(not opened, f"a page of another site got {opened}")
    check(server.settings == before, "another site changed a setting")
    posts = server.log.count("method=POST")
    check(posts >= 4, f"only {posts} attempts reached the server")

    # The console still works in the browser, so the refusals were not for want of credentials.
    window.open()
    window.change("title", "Own page")
    check(server.stored("title") == "Own page", "the console's own page cannot save")
    return f"{len(refused)} attempts from two origins were refused by the browser, {posts} posts by the server, and framing"


def refuses_requests(case):
    """Requests without credentials, token, type or measure get no setting and change none."""
    server = case.serve()
    before, answers = server.settings, []

    def expect(status, path, method="GET", body=None, headers=None, token=TOKEN):
        found, fields, text = server.request(path, method, body, headers, token)
        check(found == status, f"{method} {path} is answered with {found} in place of {status}: {text[:200]}")
        answers.append(found)
        if status != 200:
            check(all(word not in text for word in ["Groceries", "limits", TOKEN]), f"{path} tells settings: {text[:200]}")
        return fields, text

    for place in ["", "/", "/console.js", "/console.css", "/editor?key=title", "/value?key=title", "/events"]:
        for token in [None, "wrong"]:
            fields, _ = expect(401, place, token=token)
            check(fields["WWW-Authenticate"].startswith("Basic "), "the browser is not asked to sign in")
    expect(401, "/changes", "POST", "{}", {"Content-Type": "application/json"}, token=None)
    fields, _ = expect(200, "/")
    policy = fields["Content-Security-Policy"]
    check(all(part in policy for part in POLICY), f"the policy is {policy}")
    check("unsafe" not in policy and "*" not in policy, f"the policy is {policy}")
    check((fields["Cache-Control"], fields["X-Frame-Options"]) == ("no-store", "DENY"), f"the fields are {fields}")
    expect(200, "/value?key=server.token")
    check(TOKEN not in server.request("/value?key=server.token")[2], "the page of the secret has it")
    check(TOKEN not in server.request("/editor?key=server.token")[2], "the editor of the secret has it")

    token, version = page_version(server)
    def change(**members):
        return json.dumps({"changes": [{"key": "title", "version": version, "text": "Attacked", **members}]})
    good = {"Content-Type": "application/json", "X-Keyspan-Token": token, "Origin": server.address[:-len("/console/")]}
    expect(403, "/changes", "POST", change(), good | {"X-Keyspan-Token": "0" * len(token)})
    expect(403, "/changes", "POST", change(), {"Content-Type": "application/json"})
    expect(403, "/changes", "POST", change(), good | {"Origin": "http://evil.example"})
    expect(403, "/changes", "POST", change(), good | {"Origin": "null"})
    expect(403, "/changes", "POST", change(), good | {"Sec-Fetch-Site": "same-site"})
    expect(415, "/changes", "POST", change(), good | {"Content-Type": "text/plain"})
    expect(413, "/changes", "POST", change(text="x" * (1 << 20)), good)
    expect(400, "/changes", "POST", "{", good)
    expect(405, "/changes")
    expect(404, "/../settings")
    expect(404, "/value?key=nothing")
    check(server.settings == before, "a refused request changed a setting")
    expect(200, "/changes", "POST", change(text="Allowed"), good)
    check(server.stored("title") == "Allowed", "the request with everything in order was refused too")

    window = case.window().open()
    window.allow("status of 413")
    window.edit("title")
    window.paste("title", "y" * (1 << 20))
    window.click("title", "submit")
    window.wait("a message", lambda: "larger than" in window.message)
    check(server.stored("title") == "Allowed", "a change over the limit was saved")
    requests = [line for line in server.log.splitlines() if "path=" in line]
    check(requests and all("?" not in line and "Attacked" not in line for line in requests), "the log of requests has a query")
    return f"{len(answers)} requests with the statuses {sorted(set(answers))}, and 413 as a message on the page"


CASES = {"other-sites": resists_other_sites, "requests": refuses_requests}
