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
          const rowOf = (key) => one(`tr[data-key="${CSS.escape(key)}"]`);
          const formOf = (key) => one(`form.editor[data-key="${CSS.escape(key)}"]`);
          const forms = () => all("form.editor");

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

          const replaceRow = (setting) => {
            const old = rowOf(setting.key);
            if (!old || old.dataset.version === setting.version) return;
            const row = fragment(setting.row).querySelector("tr");
            const hadFocus = old.contains(document.activeElement);
            row.hidden = old.hidden;
            old.replaceWith(row);
            prepare(row);
            row.classList.add("changed");
            if (hadFocus) one("button.edit", row)?.focus();
          };

          const take = (settings, isConflict) => {
            for (const setting of settings) {
              replaceRow(setting);
              const form = formOf(setting.key);
              if (form && form.dataset.version !== setting.version) showConflict(form, setting);
              else if (form && isConflict) say("Save again: the settings changed at the same instant.");
            }
          };

          // Editors

          const open = async (key) => {
            if (formOf(key)) return formOf(key).elements.value?.focus?.();
            const answer = await fetch("editor?key=" + encodeURIComponent(key), { cache: "no-store" });
            if (!answer.ok) return say(await answer.text());
            if (formOf(key)) return;
            const row = document.createElement("tr"), cell = document.createElement("td");
            row.className = "editing";
            cell.colSpan = 7;
            cell.append(fragment(await answer.text()));
            row.append(cell);
            rowOf(key).after(row);
            prepareForm(one("form", cell));
          };

          const prepareForm = (form) => {
            form.noValidate = true;
            form.addEventListener("submit", (event) => { event.preventDefault(); save([form]); });
            form.addEventListener("keydown", (event) => { if (event.key === "Escape") close(form); });
            form.addEventListener("input", () => { delete form.dataset.reset; form.classList.remove("resets"); });
            one("button.cancel", form).addEventListener("click", () => close(form));
            one("button.reset", form).addEventListener("click", () => { form.dataset.reset = "true"; save([form]); });
            one("button.add", form)?.addEventListener("click", () => addElement(form, ""));
            for (const item of all("ul.list > li", form)) prepareElement(item);
            const first = one("[name=value]", form);
            first?.focus();
            if (first?.select && first.type !== "checkbox") first.select();
            showBatch();
          };

          const prepareElement = (item) => one("button.remove", item).addEventListener("click", () => item.remove());

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
            showBatch();
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
            mine.textContent = "Yours stays below. Nothing is saved before you choose.";
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
            const place = one(".error", form), control = one("[name=value]", form);
            place.textContent = error.message;
            place.hidden = false;
            control?.setAttribute("aria-invalid", "true");
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

          const changeOf = (form) => {
            const change = { key: form.dataset.key, version: form.dataset.version };
            const controls = all("[name=value]", form);
            if (form.dataset.reset) return { ...change, reset: true };
            if (form.dataset.form === "list") return { ...change, json: JSON.stringify(controls.map((c) => c.value)) };
            const control = controls[0];
            const text = control.type === "checkbox" ? String(control.checked) : control.value;
            return { ...change, [form.dataset.form]: text };
          };

          // Saving

          const save = async (edited) => {
            if (edited.some((form) => form.classList.contains("conflicting"))) {
              for (const form of edited) delete form.dataset.reset;
              return say("Choose first whose value stays.");
            }
            say("");
            for (const form of edited) {
              one(".error", form).hidden = true;
              all("[aria-invalid]", form).forEach((control) => control.removeAttribute("aria-invalid"));
            }
            const body = JSON.stringify({ changes: edited.map(changeOf) });
            for (const form of edited) delete form.dataset.reset;
            document.body.setAttribute("aria-busy", "true");
            try {
              const answer = await fetch("changes", {
                method: "POST", body,
                headers: { "Content-Type": "application/json", "X-Keyspan-Token": token },
              });
              const isJSON = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
              if (!isJSON) return say(await answer.text());
              const content = await answer.json();
              if (answer.status === 409) return take(content.settings, true);
              if (answer.status === 422) {
                for (const error of content.errors.toReversed()) showError(formOf(error.key), error);
                return;
              }
              if (!answer.ok) return say(content.message);
              for (const form of edited) close(form);
              take(content.settings, false);
              say(content.warnings.join(" "));
            } catch {
              say("The program did not answer. What you entered is still here; try again.");
            } finally {
              document.body.removeAttribute("aria-busy");
            }
          };

          // Filter

          const filter = one("input[name=filter]");
          const showFiltered = () => {
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

          const follow = () => {
            const events = new EventSource("events?after=" + encodeURIComponent(version));
            events.addEventListener("open", () => { connection.textContent = "live"; });
            events.addEventListener("error", () => {
              connection.textContent = "not connected";
              // The browser gives up after an answer other than 200.
              if (events.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
            });
            events.addEventListener("settings", (event) => {
              const content = JSON.parse(event.data);
              version = event.lastEventId;
              if (content.token) token = content.token;
              const history = one("#history ol");
              if (content.isWhole) history.replaceChildren();
              for (const item of content.history.toReversed()) history.prepend(fragment(item));
              take(content.settings, false);
            });
          };

          all("tr[data-key]").forEach(prepare);
          one("button.save", batch).addEventListener("click", () => save(forms()));
          one("button.discard", batch).addEventListener("click", () => forms().forEach(close));
          one("form[role=search] button").hidden = true;
          one("form[role=search]").addEventListener("submit", (event) => event.preventDefault());
          filter.addEventListener("input", showFiltered);
          follow();
        })();

        """#
}
