#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The page of a console.
struct ConsolePage {
    private let view: SettingsView
    private let filter: String
    private let token: String?

    /// Makes the page of a person.
    ///
    /// - Parameters:
    ///   - view: The person's view.
    ///   - filter: A text that the names or summaries of the shown keys contain; empty for all keys. The page's script filters by itself.
    ///   - token: The token for changes; `nil` if the person may only read.
    init(of view: SettingsView, filteredBy filter: String, token: String?) {
        self.view = view
        self.filter = filter
        self.token = token
    }

    /// The document.
    var html: HTMLText {
        let title = view.options.title
        let version = view.snapshot.version.description
        let tokenElement: HTMLText? = token.map { #"<meta name="keyspan-token" content="\#($0)">"# }
        let person: HTMLText? = view.access.person.map { #"<span class="person">\#($0)</span>"# }
        let script: HTMLText? =
            token == nil
            ? nil : "<noscript><p>The settings can be read without JavaScript, and changed with it.</p></noscript>"
        let history = HistoryList(of: view.changes()).items
        return #"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\#(title)</title>
            <meta name="keyspan-version" content="\#(version)">\#(tokenElement)
            <link rel="stylesheet" href="console.css?\#(ConsoleAssets.version)">
            <script defer src="console.js?\#(ConsoleAssets.version)"></script>
            </head>
            <body>
            <a class="skip" href="#settings">Skip to the settings</a>
            <header>
            <h1>\#(title)</h1>
            <p>\#(person)<span id="connection" role="status"></span></p>
            <form role="search" method="get" action="./">
            <label>Filter <input type="search" name="filter" value="\#(filter)" autocomplete="off"></label>
            <button type="submit">Show</button>
            <output id="count">\#(count)</output>
            </form>
            \#(script)
            </header>
            <main id="settings">
            \#(groups.map(section))
            </main>
            <section id="history" aria-labelledby="history-title">
            <h2 id="history-title">Changes since the start</h2>
            <ol reversed data-maximum="\#(view.options.maximumHistoryCount)">\#(history)</ol>
            </section>
            <div id="batch" role="region" aria-label="Changes that are not saved" hidden>
            <span></span> <button type="button" class="save">Save all</button> <button type="button" class="discard">Discard</button>
            </div>
            <p id="message" role="alert" hidden></p>
            </body>
            </html>

            """#
    }

    private var keys: [Defaults.AnyKey] {
        if filter.isEmpty { return view.keys }
        // No name is longer, and the time of a search grows with the text.
        let filter = String(filter.prefix(200)).lowercased()
        return view.keys.filter { key in
            key.name.lowercased().contains(filter) || key.summary?.lowercased().contains(filter) == true
        }
    }

    private var count: HTMLText {
        let (shown, all) = (keys.count, view.keys.count)
        return shown == all ? "\(all) settings" : "\(shown) of \(all) settings"
    }

    /// The settings by the parts of their names before the last dot, in the order of the first key of each.
    private var groups: [(name: String, settings: [Setting])] {
        var order: TextDictionary<Int> = [:]
        var groups: [(name: String, settings: [Setting])] = []
        for setting in view.settings(of: keys, fresh: true) {
            let name = setting.key.name.partBeforeLastDot
            if let number = order[name] {
                groups[number].settings.append(setting)
            } else {
                order[name] = groups.count
                groups.append((name, [setting]))
            }
        }
        return groups
    }

    private func section(of group: (name: String, settings: [Setting])) -> HTMLText {
        let title = group.name.isEmpty ? "General" : group.name
        let rows = group.settings.map { SettingRow(of: $0).html }
        return #"""
            <section class="group">
            <table role="table">
            <caption><h2>\#(title)</h2></caption>
            <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Name</th><th role="columnheader" scope="col">Value</th><th role="columnheader" scope="col">Type</th><th role="columnheader" scope="col">Default</th>\#
            <th role="columnheader" scope="col">Source</th><th role="columnheader" scope="col">Rule</th><th role="columnheader" scope="col">Changed</th></tr></thead>
            <tbody role="rowgroup">
            \#(rows)
            </tbody>
            </table>
            </section>
            """#
    }
}

extension String {
    /// The part of a key's name that groups it with others; empty if there is none.
    fileprivate var partBeforeLastDot: String {
        utf8.lastIndex(of: UInt8(ascii: ".")).map { String(self[..<$0]) } ?? ""
    }
}
#endif
