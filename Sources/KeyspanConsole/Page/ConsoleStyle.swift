#if Console
/// The style sheet of the page, for wide and narrow windows, light and dark.
enum ConsoleStyle {
    static let text = #"""
        :root {
          color-scheme: light dark;
          --ink: light-dark(#1d2430, #e6e9ef);
          --faint: light-dark(#576173, #a0a9b8);
          --paper: light-dark(#ffffff, #14181f);
          --band: light-dark(#f5f7fa, #1b212b);
          --line: light-dark(#dce1e8, #323a47);
          --edge: light-dark(#8a94a4, #6b7687);
          --accent: light-dark(#0b5cad, #7db8f7);
          --good: light-dark(#1a7f4b, #5fcf95);
          --bad: light-dark(#b3261e, #ff9a92);
          --warn: light-dark(#7a4d00, #f2c46d);
          --fresh: light-dark(#fff6d6, #38320f);
        }
        * { box-sizing: border-box; }
        /* What has the keyboard is not behind the bars at the bottom. */
        html { scroll-padding-block: 1rem 9rem; }
        body {
          margin: 0 auto; padding: 1.5rem 1.5rem 8rem; max-width: 92rem;
          font: 0.95rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
        }
        header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: baseline; }
        header p { margin: 0; color: var(--faint); }
        header form { margin-inline-start: auto; display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: baseline; }
        header label { color: var(--faint); }
        header input { margin-inline-start: 0.4rem; color: var(--ink); }
        noscript { flex-basis: 100%; }
        h1 { font-size: 1.45rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.05rem; margin: 1.75rem 0 0.6rem; text-align: start; }
        .person { color: var(--ink); overflow-wrap: anywhere; }
        #connection:not(:empty)::before {
          content: ""; display: inline-block; width: 0.55rem; height: 0.55rem; margin-inline: 0.8rem 0.4rem; border-radius: 50%;
          background: var(--edge);
        }
        #connection[data-state=live]::before { background: var(--good); }
        #connection[data-state=lost]::before { background: var(--bad); }
        output { color: var(--faint); }
        code, pre, .json { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.92em; }

        /* The settings */
        table { width: 100%; border-collapse: separate; border-spacing: 0; table-layout: fixed; }
        th, td {
          padding: 0.6rem 0.75rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top;
          overflow-wrap: anywhere; font-weight: normal;
        }
        thead th {
          padding-block: 0.4rem; border-top: 1px solid var(--line); background: var(--band);
          color: var(--faint); font-size: 0.8rem; font-weight: 600;
        }
        @media (min-width: 56.01rem) {
          th:first-child, tr.editing > td { border-inline-start: 1px solid var(--line); }
          th:last-child, td:last-child { border-inline-end: 1px solid var(--line); }
          thead th:first-child { border-start-start-radius: 0.6rem; }
          thead th:last-child { border-start-end-radius: 0.6rem; }
          tbody tr:last-child > :first-child { border-end-start-radius: 0.6rem; }
          tbody tr:last-child > :last-child { border-end-end-radius: 0.6rem; }
          thead th:nth-child(1) { width: 18%; } thead th:nth-child(2) { width: 23%; }
          thead th:nth-child(3) { width: 11%; } thead th:nth-child(4) { width: 9%; }
          thead th:nth-child(5) { width: 17%; } thead th:nth-child(6) { width: 11%; }
        }
        tbody th code { font-weight: 600; }
        tbody td:nth-child(n + 3) { font-size: 0.85rem; line-height: 1.6; }
        td[data-label=Value]:has(button.edit) { position: relative; padding-inline-end: 5.75rem; }
        button.edit {
          position: absolute; inset-block-start: 0.5rem; inset-inline-end: 0.75rem;
          padding: 0.1rem 0.6rem; font-size: 0.85rem; color: var(--accent); background: var(--paper);
        }
        .summary, .hint { margin: 0.1rem 0 0; color: var(--faint); font-size: 0.85rem; }
        bdi.value, pre.value { white-space: pre-wrap; unicode-bidi: isolate; overflow-wrap: anywhere; }
        .none { color: var(--faint); }
        .secret .hint { margin-inline-start: 0.4rem; }
        .problem, .error { color: var(--bad); }
        .warning { color: var(--warn); }
        tr.changed { background: var(--fresh); }

        /* The history */
        #history ol { margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere; border-top: 1px solid var(--line); }
        #history ol:empty::after { content: "None."; color: var(--faint); display: block; padding-block: 0.5rem; }
        #history ol > li {
          display: grid; grid-template-columns: 12.5rem 9rem minmax(0, 1fr); gap: 0.75rem; padding-block: 0.5rem;
          border-bottom: 1px solid var(--line);
        }
        #history ul { margin: 0; padding: 0; list-style: none; }
        #history time { color: var(--faint); }
        time { font-variant-numeric: tabular-nums; }

        /* Controls */
        button, input, select, textarea {
          font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 0.4rem;
          padding: 0.35rem 0.7rem;
        }
        .json, textarea.json { font: 0.9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        button { cursor: pointer; border-color: var(--line); white-space: nowrap; flex: none; }
        button:hover { border-color: var(--accent); }
        button[type=submit], button.save, button.keep { background: var(--accent); color: var(--paper); border-color: var(--accent); }
        button[type=submit]:hover, button.save:hover, button.keep:hover { border-color: var(--ink); }
        .conflicting .actions button[type=submit] { background: var(--paper); color: var(--ink); border-color: var(--line); }
        [role=search] button[type=submit] { background: var(--paper); color: var(--accent); border-color: var(--edge); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        a { color: var(--accent); }
        .switch { display: inline-flex; align-items: center; gap: 0.6rem; cursor: pointer; }
        .switch input {
          appearance: none; position: relative; width: 2.6rem; height: 1.45rem; margin: 0; padding: 0; border-radius: 1rem; cursor: pointer;
        }
        .switch input::before {
          content: ""; position: absolute; inset-block: 0.2rem; inset-inline-start: 0.2rem; width: 0.95rem; border-radius: 50%;
          background: var(--edge);
        }
        .switch input:checked { background: var(--accent); border-color: var(--accent); }
        .switch input:checked::before { inset-inline-start: 1.35rem; background: var(--paper); }
        @media (forced-colors: active) { .switch input { appearance: auto; } .switch input::before { content: none; } }

        /* Editors */
        tr.editing > td { background: var(--band); padding-block: 1rem; }
        fieldset { border: 0; margin: 0; padding: 0; min-width: 0; max-width: 46rem; }
        legend { padding: 0; margin-bottom: 0.5rem; }
        .editor input[type=text], .editor input[type=password], .editor textarea { width: 100%; }
        .editor input[type=number], .editor select { min-width: 12rem; }
        .editor textarea { display: block; resize: vertical; }
        textarea.secret { -webkit-text-security: disc; }
        .editor .hint { margin-top: 0.4rem; }
        .editor .error, .editor .warning { margin: 0.4rem 0 0; overflow-wrap: anywhere; }
        .editor ul.list { list-style: none; margin: 0 0 0.5rem; padding: 0; }
        .editor ul.list li { display: flex; gap: 0.5rem; margin-bottom: 0.4rem; }
        .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.9rem; }
        .conflict {
          border: 1px solid var(--line); border-inline-start: 4px solid var(--warn); border-radius: 0.4rem; background: var(--paper);
          padding: 0.75rem 1rem; margin: 0 0 0.9rem;
        }
        .conflict p { margin: 0 0 0.4rem; overflow-wrap: anywhere; }
        .conflict .value { font-weight: 600; }
        .conflict button { margin: 0.3rem 0.25rem 0 0; }
        [aria-invalid=true] { border-color: var(--bad); outline-color: var(--bad); }

        /* The bars at the bottom */
        #batch, #message {
          position: fixed; inset-inline: 1rem; bottom: 1rem; margin: 0 auto; max-width: 45rem; padding: 0.75rem 1rem;
          background: var(--paper); border: 1px solid var(--edge); border-radius: 0.6rem; box-shadow: 0 6px 24px #0004;
          max-height: 40vh; overflow: auto;
        }
        #batch { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; }
        #batch span { flex: 1 1 12rem; }
        #message { color: var(--warn); }
        #batch:not([hidden]) + #message { bottom: 5.5rem; }
        [hidden] { display: none !important; }
        /* Groups below the window are laid out when they come into view. */
        section.group { content-visibility: auto; contain-intrinsic-size: auto 30rem; }
        .skip { position: absolute; inset-inline-start: -99rem; }
        .skip:focus { position: static; }

        @media (max-width: 56rem) {
          body { padding-inline: 1rem; }
          header form { margin-inline-start: 0; flex-basis: 100%; }
          header label { flex: 1; display: flex; align-items: baseline; }
          header input { flex: 1; min-width: 6rem; }
          thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          table, tbody, caption { display: block; }
          tbody tr { display: block; border: 1px solid var(--line); border-radius: 0.6rem; margin-bottom: 0.75rem; padding: 0.5rem 0.9rem; }
          tbody tr > *, tbody tr.editing > td { display: block; border: 0; padding: 0.25rem 0; }
          tbody tr:has(+ tr.editing:not([hidden])) { margin-bottom: 0; border-end-start-radius: 0; border-end-end-radius: 0; }
          tr.editing { border-top: 0; border-start-start-radius: 0; border-start-end-radius: 0; background: var(--band); }
          tbody tr:not(.editing) > td { position: relative; padding-inline-start: 5rem; min-height: 2rem; }
          tbody td::before {
            content: attr(data-label); position: absolute; inset-inline-start: 0; color: var(--faint); font-size: 0.85rem; line-height: 1.6;
          }
          tbody td:empty { display: none; }
          td[data-label=Value]:has(button.edit) { padding-inline-end: 6.25rem; min-height: 2.75rem; }
          button.edit { inset-block-start: 0; inset-inline-end: 0; padding-inline: 0.8rem; }
          tr.editing > td::before { content: none; }
          button { min-height: 2.4rem; }
          input, select, textarea { font-size: 1rem; }
          .actions button, #batch button { flex: 1 1 auto; }
          #batch span { flex-basis: 100%; }
          #history ol > li { grid-template-columns: 1fr auto; gap: 0.1rem 0.75rem; }
          #history ol > li > ul { grid-column: 1 / -1; }
          #batch:not([hidden]) + #message { bottom: 8.5rem; }
        }
        @media (prefers-reduced-motion: no-preference) { tr.changed { animation: fresh 6s ease-out forwards; } }
        @keyframes fresh { to { background: transparent; } }

        """#
}
#endif
