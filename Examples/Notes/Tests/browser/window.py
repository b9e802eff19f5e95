"""A window of Chromium with the console, operated as a person does, and an account of all that it loaded and reported."""
import json
import re
import threading
import urllib.parse
import urllib.request

import websocket
from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from means import Failure
from programs import PERSON, TOKEN, check, wait_until


class SignIn:
    """Enters a name and a password when the browser asks for them; after that, the browser sends them by itself."""

    def __init__(self, debugger, person, password):
        self.person, self.password, self.challenges = person, password, []
        with urllib.request.urlopen(f"http://{debugger}/json") as answer:
            page = next(target for target in json.load(answer) if target["type"] == "page")
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], suppress_origin=True)
        self.count = 0
        self.send("Fetch.enable", handleAuthRequests=True)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def send(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))

    def run(self):
        try:
            while True:
                event = json.loads(self.socket.recv())
                parameters = event.get("params", {})
                if event.get("method") == "Fetch.requestPaused":
                    self.send("Fetch.continueRequest", requestId=parameters["requestId"])
                elif event.get("method") == "Fetch.authRequired":
                    self.answer(parameters["requestId"], parameters["request"]["url"])
        except (websocket.WebSocketException, OSError, ValueError):
            pass  # The browser has ended.

    def answer(self, request, address):
        # The same wrong password again and again would never end.
        is_again = self.challenges[-3:] == [(address, self.password)] * 3
        self.challenges.append((address, self.password))
        response = {"response": "CancelAuth"} if is_again else {
            "response": "ProvideCredentials", "username": self.person, "password": self.password}
        self.send("Fetch.continueWithAuth", requestId=request, authChallengeResponse=response)

    def close(self):
        """Leaves the browser alone, which keeps what was entered."""
        try:
            self.send("Fetch.disable")
            self.socket.close()
        except (websocket.WebSocketException, OSError):
            pass


class Window:
    """A browser of one person. `text`s that are entered by `enter` may not occur in any address."""

    def __init__(self, chromium, driver, server, person=PERSON, size=(1200, 900)):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                         f"--window-size={size[0]},{size[1]}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        self.server, self.person = server, person
        self.events, self.messages, self.entered, self.allowed = [], [], [], []
        # Some cases enter a secret, which may not come back either.
        self.secrets = [TOKEN]
        self.sign_in = SignIn(self.driver.capabilities["goog:chromeOptions"]["debuggerAddress"], person, TOKEN)

    def close(self):
        self.sign_in.close()
        self.driver.quit()

    # The browser

    def command(self, name, **parameters):
        """A command of the Chrome DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def resize(self, width, height, is_mobile=False):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_mobile)

    def emulate(self, **features):
        """Sets media features, such as `prefers_color_scheme="dark"`."""
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def open(self, query="", is_live=True):
        """Opens the console, and waits until it follows the settings."""
        self.driver.get(self.server.address + query)
        if is_live:
            self.wait_for_connection()
        return self

    def wait_for_connection(self, words="live", seconds=60):
        wait_until(f"the words \"{words}\" at the top of the page",
                   lambda: self.run("return document.querySelector('#connection')?.textContent") == words, seconds)

    def wait(self, what, condition, seconds=60):
        """Waits for something on the page, whose elements may be replaced meanwhile."""
        def attempt():
            try:
                return condition()
            except StaleElementReferenceException:
                return None
        return wait_until(what, attempt, seconds)

    # The page

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.all(selector)
        check(found, f"the page has no {selector}")
        return found[0]

    def cell(self, key, label="Value"):
        """The text in a cell of a key's row, as a person sees it."""
        return self.run("""
            const cell = document.querySelector(`tr[data-key="${arguments[0]}"] [data-label="${arguments[1]}"]`);
            // Groups that are out of sight are not rendered, and have no text.
            cell.closest("section.group").style.contentVisibility = "visible";
            return (cell.querySelector(".value") ?? cell).innerText.trim();""", key, label)

    def wait_for_value(self, key, text, seconds=60):
        try:
            self.wait("", lambda: self.cell(key) == text, seconds)
        except Failure:
            raise Failure(f"{key} does not become {text!r} on the page within {seconds} s: it is {self.cell(key)!r}") from None

    @property
    def history(self):
        """The texts of the history, the latest first."""
        return [item.text for item in self.all("#history > ol > li")]

    @property
    def message(self):
        return self.one("#message").text

    @property
    def focus(self):
        """A name of the element that has the keyboard."""
        return self.run("""
            const it = document.activeElement;
            return it.ariaLabel ?? it.labels?.[0]?.innerText ?? (it.innerText || it.name || it.localName);""")

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    # Editors

    def edit(self, key):
        """Opens the editor of a key."""
        self.click_element(f'tr[data-key="{key}"] button.edit')
        return self.wait(f"the editor of {key}", lambda: self.form(key))

    def click_element(self, selector):
        """Clicks something after scrolling it away from the bars at the bottom, as a person does."""
        element = self.one(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def form(self, key):
        found = self.all(f'form.editor[data-key="{key}"]')
        return found[0] if found else None

    def control(self, key):
        return self.one(f'form.editor[data-key="{key}"] [name=value]')

    def enter(self, key, text):
        """Enters a text into the control of an editor that is open, in the way of the control's kind."""
        self.entered.append(text)
        control = self.control(key)
        if control.tag_name == "select":
            Select(control).select_by_visible_text(text)
        elif control.get_attribute("type") == "checkbox":
            if control.is_selected() != (text == "true"):
                control.click()
        else:
            control.send_keys(Keys.CONTROL, "a")
            control.send_keys(Keys.DELETE)
            control.send_keys(text)

    def paste(self, key, text):
        """Replaces the text of a control at once, as pasting does."""
        self.entered.append(text)
        self.run("""
            arguments[0].value = arguments[1];
            arguments[0].dispatchEvent(new InputEvent("input", {bubbles: true}));""", self.control(key), text)

    def click(self, key, button):
        """Clicks a button of an editor, such as `submit` or `.cancel`."""
        selector = "[type=submit]" if button == "submit" else button
        self.click_element(f'form.editor[data-key="{key}"] {selector}')

    def save(self, key):
        """Saves, and waits until the editor has closed."""
        self.click(key, "submit")
        self.wait_for_closing(key)

    def wait_for_closing(self, key):
        try:
            self.wait("", lambda: not self.form(key))
        except Failure:
            raise Failure(f"the change of {key} is not saved; the page says: {self.error(key)} {self.message}") from None

    def change(self, key, text):
        """Opens an editor, enters a text and saves it."""
        self.edit(key)
        self.enter(key, text)
        self.save(key)

    def error(self, key):
        return self.one(f'form.editor[data-key="{key}"] .error').text

    def conflict(self, key):
        return self.one(f'form.editor[data-key="{key}"] .conflict').text

    def follow(self, selector):
        """Follows a link, which may open a tab, and returns the text of the value there."""
        first = self.driver.current_window_handle
        opens_tab = self.one(selector).get_attribute("target") == "_blank"
        known = len(self.driver.window_handles)
        self.click_element(selector)
        if opens_tab:
            self.wait("the tab", lambda: len(self.driver.window_handles) > known)
        tab = self.driver.window_handles[-1]
        self.driver.switch_to.window(tab)
        self.wait("the page of a value", lambda: self.all("pre.value"))
        text, is_hit = self.run("return [document.querySelector('pre.value').textContent, window.hit !== undefined]")
        check(not is_hit, "the page of a value executed a script")
        if tab != first:
            self.driver.close()
            self.driver.switch_to.window(first)
        return text

    # The account

    def allow(self, pattern):
        """Expects reports of the browser with these words, such as of a request that is to fail."""
        self.allowed.append(pattern)

    def collect(self):
        """Takes what the browser has reported since the last time."""
        self.messages += self.driver.get_log("browser")
        self.events += [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]

    def network(self, method):
        """The parameters of the events of a kind, such as `requestWillBeSent`, of the whole time of the window."""
        self.collect()
        return [event["params"] for event in self.events if event["method"] == "Network." + method]

    def bodies(self):
        """The bodies of the responses that the browser still has, and the data of the events, by address."""
        bodies = []
        for response in self.network("responseReceived"):
            try:
                body = self.command("Network.getResponseBody", requestId=response["requestId"])["body"]
                bodies.append((response["response"]["url"], body))
            except WebDriverException:
                continue  # It is of an earlier page, or a stream.
        return bodies + [("an event", event["data"]) for event in self.network("eventSourceMessageReceived")]

    def review(self):
        """Fails if the browser reported an error, showed a dialog, received a secret, or sent a value in an address."""
        try:
            raise Failure(f"the page showed a dialog: {self.driver.switch_to.alert.text}")
        except NoAlertPresentException:
            pass
        for address, body in self.bodies():
            check(not any(secret in body for secret in self.secrets), f"{address} has the secret")
        addresses = [urllib.parse.unquote_plus(request["request"]["url"]) for request in self.network("requestWillBeSent")]
        for address in addresses:
            found = [text for text in [*self.secrets, *self.entered] if len(text) > 4 and text in address]
            check(not found, f"the address {address} has the value {found}")
        for message in self.messages:
            is_bad = message["level"] == "SEVERE" or "Content Security Policy" in message["message"]
            if is_bad and not any(re.search(pattern, message["message"]) for pattern in self.allowed):
                raise Failure(f"the browser reports: {message['message'][:500]}")
        return len(addresses)
