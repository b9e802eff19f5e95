/// The style sheet of the page, for wide and narrow windows, light and dark.
enum ConsoleStyle {
    static let text = #"""
        :root {
          color-scheme: light dark;
          --ink: light-dark(#1d2430, #e6e9ef);
          --faint: light-dark(#5b6575, #a0a9b8);
          --paper: light-dark(#ffffff, #14181f);
          --band: light-dark(#f4f6f9, #1c222c);
          --line: light-dark(#d8dde5, #333c4a);
          --accent: light-dark(#0b5cad, #7db8f7);
          --bad: light-dark(#b3261e, #ff9a92);
          --warn: light-dark(#7a4d00, #f2c46d);
          --fresh: light-dark(#fff4cf, #3b3413);
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; padding: 1rem 1.25rem 5rem; max-width: 90rem;
          font: 0.95rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
        }
        header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: baseline; }
        header p { margin: 0; color: var(--faint); }
        header form { margin-inline-start: auto; display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: baseline; }
        h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.05rem; margin: 1.5rem 0 0.4rem; text-align: start; }
        #connection:not(:empty)::before { content: "· "; }
        output { color: var(--faint); }
        code, pre, .json { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.9em; }
        table { width: 100%; border-collapse: collapse; table-layout: fixed; }
        thead th { color: var(--faint); font-size: 0.8rem; font-weight: 600; background: var(--band); }
        thead th:nth-child(1) { width: 22%; } thead th:nth-child(2) { width: 22%; }
        thead th:nth-child(3) { width: 11%; } thead th:nth-child(5) { width: 13%; }
        thead th:nth-child(6) { width: 12%; } thead th:nth-child(7) { width: 11%; }
        th, td {
          padding: 0.45rem 0.6rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top;
          overflow-wrap: anywhere; font-weight: normal;
        }
        tbody th code { font-weight: 600; }
        .summary, .hint { margin: 0.15rem 0 0; color: var(--faint); font-size: 0.85rem; }
        bdi.value, pre.value { white-space: pre-wrap; unicode-bidi: isolate; }
        .none { color: var(--faint); font-style: italic; }
        .secret .hint { margin-inline-start: 0.5rem; }
        .problem, .error { color: var(--bad); }
        .warning { color: var(--warn); }
        tr.changed { background: var(--fresh); }
        #history ol { padding-inline-start: 2.5rem; overflow-wrap: anywhere; }
        #history ol ul { padding-inline-start: 1rem; list-style: none; }
        time { font-variant-numeric: tabular-nums; }
        button, input, select, textarea {
          font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 0.35rem;
          padding: 0.3rem 0.6rem;
        }
        button { cursor: pointer; background: var(--band); }
        button[type=submit], button.save, button.keep { background: var(--accent); color: var(--paper); border-color: var(--accent); }
        button.edit { margin-inline-start: 0.5rem; padding: 0 0.45rem; font-size: 0.85rem; color: var(--accent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        a { color: var(--accent); }
        tr.editing > td { background: var(--band); }
        fieldset { border: 0; margin: 0; padding: 0.25rem 0; min-width: 0; }
        legend { padding: 0; margin-bottom: 0.35rem; }
        .editor input[type=text], .editor input[type=password], .editor textarea { width: 100%; }
        .editor ul.list { list-style: none; margin: 0 0 0.4rem; padding: 0; }
        .editor ul.list li { display: flex; gap: 0.4rem; margin-bottom: 0.3rem; }
        .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.5rem; }
        .conflict { border-inline-start: 3px solid var(--warn); padding: 0.1rem 0.75rem; margin: 0.5rem 0; }
        [aria-invalid=true] { border-color: var(--bad); }
        #batch, #message {
          position: fixed; inset-inline: 1rem; bottom: 1rem; margin: 0 auto; max-width: 45rem; padding: 0.7rem 1rem;
          background: var(--band); border: 1px solid var(--line); border-radius: 0.5rem; box-shadow: 0 4px 20px #0003;
          max-height: 40vh; overflow: auto;
        }
        #message { bottom: 4.5rem; color: var(--warn); }
        [hidden] { display: none !important; }
        .skip { position: absolute; inset-inline-start: -99rem; }
        .skip:focus { position: static; }
        @media (max-width: 56rem) {
          thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          table, tbody, caption { display: block; }
          tbody tr { display: block; border: 1px solid var(--line); border-radius: 0.5rem; margin-bottom: 0.6rem; padding: 0.3rem; }
          tbody th, tbody td { display: grid; grid-template-columns: 5.5rem 1fr; border: 0; padding: 0.2rem 0.4rem; }
          tbody th, tr.editing > td { display: block; }
          tbody td::before { content: attr(data-label); color: var(--faint); font-size: 0.8rem; }
          tbody td:empty { display: none; }
          tr.editing > td::before { content: none; }
          button { min-height: 2.2rem; }
          header form { margin-inline-start: 0; }
        }
        @media (prefers-reduced-motion: no-preference) { tr.changed { animation: fresh 6s ease-out forwards; } }
        @keyframes fresh { to { background: transparent; } }

        """#
}
