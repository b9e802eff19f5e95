#if Console
/// The script of the page: edits in place, several at once as one batch, and the live rows.
///
/// It makes no HTML of values: rows and forms come from the console, with everything escaped. The page can be read without it.
enum ConsoleScript {
    static let text = #"""
        "use strict";
        (() => {
          const one = (selector, root = document) => root.querySelector(selector);
          const all = (selector, root = document) => [...root.querySelectorAll(selector)];
          const meta = (name) => one(`meta[name="${name}"]`)?.content;
          let token = meta("keyspan-token");
          let version = meta("keyspan-version");
          const message = one("#message"), batch = one("#batch"), connection = one("#connection");
          // A key is here as it is in an address, since its name may have characters that a page cannot have.
          const rowOf = (key) => one(`tr[data-key="${CSS.escape(key)}"]`);
          const formOf = (key) => one(`form.editor[data-key="${CSS.escape(key)}"]`);
          const forms = () => all("form.editor");
          // Relative to the document, an address would have the name and the password of `https://name:password@host/`, which requests may not.
          const address = (place) => new URL(place, location.href).href;

          const fragment = (html) => {
            const template = document.createElement("template");
            template.innerHTML = html;
            return template.content;
          };

          const say = (text) => {
            message.textContent = text;
            message.hidden = !text;
          };

          // Rows

          const prepare = (row) => {
            const button = one("button.edit", row);
            if (!button) return;
            button.hidden = false;
            button.addEventListener("click", () => open(row.dataset.key));
          };

          // The answer to a change and the event of it may arrive in any order. A version is "<run>.<number>".
          const isOlder = (version, than) => {
            const [[run, number], [otherRun, otherNumber]] = [version.split("."), than.split(".")];
            return run === otherRun && Number(number) < Number(otherNumber);
          };

          const replaceRow = (setting) => {
            const old = rowOf(setting.key);
            if (!old || old.dataset.version === setting.version || isOlder(setting.version, old.dataset.version)) return;
            const row = fragment(setting.row).querySelector("tr");
            const hadFocus = old.contains(document.activeElement);
            // After a restart of the program nobody knows whether a secret is another one.
            const isOtherSecret = one("td .secret", row) && isOlder(old.dataset.version, setting.version);
            const isChanged = isOtherSecret || one("td", row).textContent !== one("td", old).textContent;
            row.hidden = old.hidden;
            old.replaceWith(row);
            prepare(row);
            if (isChanged) row.classList.add("changed");
            if (hadFocus) one("button.edit", row)?.focus();
          };

          // Changes of settings that are being saved: the answer decides what they mean.
          const late = new Map();
          let isSaving = false;

          const take = (settings, isConflict) => {
            for (const setting of settings) {
              replaceRow(setting);
              const form = formOf(setting.key);
              if (!form || isOlder(setting.version, form.dataset.version)) continue;
              if (form.dataset.version !== setting.version) {
                if (isSaving && !isConflict) late.set(setting.key, setting);
                else showConflict(form, setting);
              } else if (isConflict) {
                say("Save again: the settings changed at the same instant.");
              }
            }
          };

          // Editors

          const open = async (key) => {
            if (formOf(key)) return formOf(key).elements.value?.focus?.();
            say("");
            let text;
            try {
              const answer = await fetch(address("editor?key=" + key), { cache: "no-store" });
              text = await answer.text();
              if (!answer.ok) return say(text);
            } catch {
              return say("The program did not answer. Try again.");
            }
            if (formOf(key)) return;
            const row = document.createElement("tr"), cell = document.createElement("td");
            row.className = "editing";
            cell.colSpan = 7;
            cell.append(fragment(text));
            row.append(cell);
            rowOf(key).after(row);
            prepareForm(one("form", cell));
          };

          const prepareForm = (form) => {
            form.noValidate = true;
            form.dataset.initial = textsOf(form);
            // The other value stands above one's own.
            one("legend", form).after(one(".conflict", form));
            form.addEventListener("submit", (event) => { event.preventDefault(); save([form]); });
            form.addEventListener("keydown", (event) => {
              // Escape ends the composition of a character first.
              if (event.key === "Escape" && !event.isComposing) close(form);
            });
            one("button.cancel", form).addEventListener("click", () => close(form));
            one("button.reset", form).addEventListener("click", () => save([form], true));
            one("button.add", form)?.addEventListener("click", () => addElement(form));
            for (const item of all("ul.list > li", form)) prepareElement(item);
            const first = one("[name=value]", form);
            first?.focus();
            if (first?.select && first.type !== "checkbox") first.select();
            showBatch();
          };

          const prepareElement = (item) => {
            one("button.remove", item).addEventListener("click", () => {
              const next = item.nextElementSibling ?? item.previousElementSibling;
              const goal = next ? one("input", next) : one("button.add", item.closest("form"));
              item.remove();
              goal.focus();
            });
          };

          const addElement = (form) => {
            const item = document.createElement("li"), input = document.createElement("input");
            const button = document.createElement("button");
            Object.assign(input, { type: "text", name: "value", spellcheck: false });
            input.setAttribute("aria-label", "Element");
            Object.assign(button, { type: "button", className: "remove", textContent: "Remove" });
            item.append(input, " ", button);
            one("ul.list", form).append(item);
            prepareElement(item);
            input.focus();
          };

          const close = (form) => {
            const key = form.dataset.key;
            form.closest("tr.editing").remove();
            late.delete(key);
            say("");
            showBatch();
            showFiltered();
            one("button.edit", rowOf(key))?.focus();
          };

          const showBatch = () => {
            const count = forms().length;
            batch.hidden = count < 2;
            one("span", batch).textContent = `${count} settings are being changed.`;
          };

          const showConflict = (form, setting) => {
            const place = one(".conflict", form);
            place.replaceChildren(fragment(setting.notice));
            const keep = document.createElement("button"), drop = document.createElement("button");
            Object.assign(keep, { type: "button", className: "keep", textContent: "Keep mine" });
            Object.assign(drop, { type: "button", className: "drop", textContent: "Take theirs" });
            const mine = document.createElement("p");
            mine.textContent = "Yours is below. Nothing is saved before you choose.";
            keep.addEventListener("click", () => {
              form.dataset.version = setting.version;
              form.classList.remove("conflicting");
              place.hidden = true;
              one("[name=value]", form)?.focus();
            });
            drop.addEventListener("click", () => close(form));
            place.append(mine, keep, " ", drop);
            place.hidden = false;
            form.classList.add("conflicting");
          };

          const showError = (form, error) => {
            one("fieldset", form).disabled = false;
            const place = one(".error", form), control = one("[name=value]", form);
            place.id = "error-of-" + form.dataset.key;
            place.textContent = error.message;
            place.hidden = false;
            control?.setAttribute("aria-invalid", "true");
            control?.setAttribute("aria-describedby", [one(".hint", form).id, place.id].join(" "));
            if (error.line && control?.setSelectionRange) {
              const lines = control.value.split("\n");
              const start = lines.slice(0, error.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
              const offset = start + [...lines[error.line - 1] ?? ""].slice(0, error.column - 1).join("").length;
              control.focus();
              control.setSelectionRange(offset, offset + 1);
            } else {
              control?.focus();
            }
          };

          const textsOf = (form) =>
            JSON.stringify(all("[name=value]", form).map((c) => (c.type === "checkbox" ? c.checked : c.value)));
          const isTouched = (form) => textsOf(form) !== form.dataset.initial;

          const changeOf = (form, isReset) => {
            const change = { key: decodeURIComponent(form.dataset.key), version: form.dataset.version };
            const controls = all("[name=value]", form);
            if (isReset) return { ...change, reset: true };
            if (form.dataset.form === "list") return { ...change, json: JSON.stringify(controls.map((c) => c.value)) };
            const control = controls[0];
            const text = control.type === "checkbox" ? String(control.checked) : control.value;
            return { ...change, [form.dataset.form]: text };
          };

          // Saving

          const save = async (edited, isReset = false) => {
            if (isSaving) return say("The page is saving. Try again in a moment.");
            if (edited.some((form) => form.classList.contains("conflicting"))) {
              return say("Choose first whose value stays.");
            }
            say("");
            for (const form of edited) {
              one(".error", form).hidden = true;
              all("[aria-invalid]", form).forEach((control) => control.removeAttribute("aria-invalid"));
            }
            const body = JSON.stringify({ changes: edited.map((form) => changeOf(form, isReset)) });
            document.body.setAttribute("aria-busy", "true");
            isSaving = true;
            const focused = document.activeElement;
            // Text that is typed now would be lost with the form.
            for (const form of edited) one("fieldset", form).disabled = true;
            try {
              const answer = await fetch(address("changes"), {
                method: "POST", body,
                headers: { "Content-Type": "application/json", "X-Keyspan-Token": token },
              });
              const isJSON = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
              if (!isJSON) return say(await answer.text());
              const content = await answer.json();
              if (answer.status === 409) {
                take(content.settings, true);
                return one("form.conflicting .conflict")?.scrollIntoView({ block: "nearest" });
              }
              if (answer.status === 422) {
                if (edited.length > 1) say("Nothing is saved: correct the marked settings first.");
                for (const error of content.errors.toReversed()) {
                  const form = formOf(error.key);
                  form ? showError(form, error) : say(error.message);
                }
                return;
              }
              if (!answer.ok) return say(content.message);
              for (const form of edited) close(form);
              take(content.settings, false);
              say(content.warnings.join(" "));
            } catch {
              say("The program did not answer. What you entered is still here; try again.");
            } finally {
              isSaving = false;
              for (const form of edited) one("fieldset", form).disabled = false;
              if (focused?.isConnected && document.activeElement === document.body) focused.focus();
              document.body.removeAttribute("aria-busy");
              const settings = [...late.values()];
              late.clear();
              take(settings, false);
            }
          };

          // Filter

          const filter = one("input[name=filter]");
          // A page that was filtered by the console lacks the other rows, so the console filters on.
          const isWhole = !new URLSearchParams(location.search).get("filter");
          const showFiltered = () => {
            if (!isWhole) return;
            const text = filter.value.toLowerCase();
            const rows = all("tr[data-key]");
            let count = 0;
            for (const row of rows) {
              const isShown = one("th", row).textContent.toLowerCase().includes(text);
              row.hidden = !isShown && !formOf(row.dataset.key);
              if (!row.hidden) count += 1;
            }
            for (const group of all("section.group")) group.hidden = !one("tr[data-key]:not([hidden])", group);
            one("#count").textContent =
              count === rows.length ? `${count} settings` : `${count} of ${rows.length} settings`;
          };

          // Live changes

          let events;
          const follow = () => {
            events?.close();
            events = new EventSource(address("events?after=" + encodeURIComponent(version)));
            const show = (words, state) => {
              connection.textContent = words;
              connection.dataset.state = state;
            };
            events.addEventListener("open", () => show("live", "live"));
            events.addEventListener("error", () => {
              show("not connected", "lost");
              // The browser gives up after an answer other than 200.
              if (events.readyState === EventSource.CLOSED) setTimeout(() => { if (!document.hidden) follow(); }, 5000);
            });
            events.addEventListener("settings", (event) => {
              const content = JSON.parse(event.data);
              version = event.lastEventId;
              if (content.token) token = content.token;
              const history = one("#history ol");
              if (content.isWhole) {
                // The program was started again, perhaps with other keys.
                const isSame = !isWhole || content.settings.every((setting) => rowOf(setting.key))
                  && content.settings.length === all("tr[data-key]").length;
                if (!isSame && !forms().length) return location.reload();
                history.replaceChildren();
              }
              for (const item of content.history.toReversed()) history.prepend(fragment(item));
              while (history.children.length > Number(history.dataset.maximum)) history.lastElementChild.remove();
              take(content.settings, false);
            });
          };

          all("tr[data-key]").forEach(prepare);
          one("button.save", batch).addEventListener("click", () => {
            const touched = forms().filter(isTouched);
            if (touched.length) save(touched);
            else say("Nothing was changed yet.");
          });
          one("button.discard", batch).addEventListener("click", () => forms().forEach(close));
          if (isWhole) {
            one("form[role=search] button").hidden = true;
            one("form[role=search]").addEventListener("submit", (event) => event.preventDefault());
            filter.addEventListener("input", showFiltered);
          }
          // A browser has few connections for each host, which hidden pages would take.
          document.addEventListener("visibilitychange", () => {
            if (document.hidden) events.close();
            else follow();
          });
          window.addEventListener("beforeunload", (event) => { if (forms().some(isTouched)) event.preventDefault(); });
          follow();
        })();

        """#
}
#endif
