extension Defaults {
    /// The keys as a part of the help text that a program prints for its users.
    ///
    /// ```swift
    /// let port = Defaults.Key<Int>("server.port", default: 80)
    ///     .validated(by: .range(1...65535))
    ///     .summary("Where to listen.")
    /// let keys: [Defaults.AnyKey] = [port]
    /// let arguments = LaunchArgumentsStore(keys: keys, alsoKnown: ["--help"])
    /// let defaults = Defaults(LayeredStore([.init("arguments", arguments)]))
    /// if CommandLine.arguments.contains("--help") {
    ///     print(defaults.help(keys), terminator: "")
    /// }
    /// ```
    ///
    /// Each key has its name, its argument and its variable in the layers of the store, its summary, its kind of values in words, the
    /// requirements of its rules, and its default. Keys are grouped by the prefixes of their names. The sources follow, the highest
    /// first. Nothing is read from the store, and the default of a secret is not in the text.
    ///
    /// - Parameters:
    ///   - keys: The keys, in the order in which they are shown.
    ///   - width: The number of columns, at least 40; that of the terminal in the variable `COLUMNS`, or else 80, if `nil`.
    /// - Returns: Lines of text, the last one with a line feed at its end.
    public func help(_ keys: [AnyKey], width: Int? = nil) -> String {
        let sources = store.helpSources(under: [])
        let naming = sources.compactMap { $0.store as? any OutsideNaming }
        let items = keys.compactMap { key in
            (key as? any DescribableKey).map { describable in
                HelpText.Item(
                    row: describable.row(in: [:], of: store, from: [:], hiding: SecretPlaces(of: [], in: [:])),
                    entries: key.entryNames,
                    namedBy: naming
                )
            }
        }
        let lines = sources.map { (name: $0.name, place: $0.place) }
        return HelpText(items: items, sources: lines, width: width ?? HelpText.widthOfTerminal).text
    }
}

extension Defaults.Group {
    /// The keys of the group as a part of the help text that a program prints, as ``Defaults/help(_:width:)``.
    ///
    /// The keys are those of ``allKeys``.
    public func help(width: Int? = nil) -> String { defaults.help(allKeys, width: width) }
}

/// A text in two columns: the names of a key, and its explanation.
private struct HelpText {
    /// One key.
    struct Item {
        /// The group of the key: its name without the part behind the last dot.
        let group: String
        /// The name, and below it the forms in which a person gives a value.
        let names: [String]
        /// The explanation.
        let text: String

        init(row: Defaults.SettingsDescription.Row, entries: [String], namedBy stores: [any OutsideNaming]) {
            let levels = row.name.levels
            group = levels.dropLast().joined(separator: ".")
            var seen: Set<UTF8Text> = []
            let forms = stores.flatMap { store in
                entries.flatMap { store.outsideForms(ofEntry: $0, isFlag: row.isFlag) }
            }
            // Of two stores of variables, one may also take the names of files.
            let longer = Set(
                forms.compactMap { form in form.firstIndex(of: "[").map { UTF8Text(String(form[..<$0])) } }
            )
            names =
                ["  " + row.name]
                + forms.filter { seen.insert($0) && !longer.contains($0) }.map { "    " + $0 }
            text = row.helpSentences.joined(separator: " ")
        }
    }

    let items: [Item]
    let sources: [(name: String, place: String?)]
    let width: Int

    init(items: [Item], sources: [(name: String, place: String?)], width: Int) {
        self.items = items
        self.sources = sources
        self.width = max(width, Self.leastWidth)
    }

    private static let leastWidth = 40

    /// The number of columns of the terminal, as far as the environment tells.
    static var widthOfTerminal: Int {
        OutsideText.variable("COLUMNS")?.text.flatMap { Int($0) } ?? 80
    }

    /// The lines of the keys and of the sources.
    var text: String {
        var lines: [String] = []
        let column = min((items.flatMap(\.names).map(\.count).max() ?? 0) + 2, width / 2)
        for (group, items) in groups {
            if !lines.isEmpty { lines.append("") }
            lines.append(group.isEmpty ? "Settings:" : "Settings of \(group):")
            for item in items { lines += block(item.names, item.text, column: column) }
        }
        if !sources.isEmpty {
            let column = (sources.map(\.name.count).max() ?? 0) + 4
            if !lines.isEmpty { lines.append("") }
            lines += wrapped("Each setting has its value from the first of these sources that has one:", to: width)
            for source in sources { lines += block(["  " + source.name], source.place ?? "", column: column) }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The keys by their groups, in the order of the first key of each.
    private var groups: [(name: String, items: [Item])] {
        var order: TextDictionary<Int> = [:]
        var groups: [(name: String, items: [Item])] = []
        for item in items {
            if let number = order[item.group] {
                groups[number].items.append(item)
            } else {
                order[item.group] = groups.count
                groups.append((item.group, [item]))
            }
        }
        return groups
    }

    /// Names at the left and a text beside them, which begins below a name that leaves no space for it.
    private func block(_ names: [String], _ text: String, column: Int) -> [String] {
        var rest = wrapped(text, to: width - column)[...]
        var lines: [String] = []
        for name in names {
            let hasSpace = name.count + 2 <= column
            let part = hasSpace ? rest.popFirst() : nil
            lines.append(part.map { name + String(repeating: " ", count: column - name.count) + $0 } ?? name)
        }
        return lines + rest.map { String(repeating: " ", count: column) + $0 }
    }

    /// The words of a text in lines of a width; a longer word has a line of its own.
    private func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension Defaults.SettingsDescription.Row {
    /// The sentences about the key for a user of the program.
    fileprivate var helpSentences: [String] {
        let kind = words.prefix(1).uppercased() + words.dropFirst()
        let rules = requirements.isEmpty ? "" : "; must be " + requirements.joined(separator: ", and ")
        return [
            summary.map { $0.last.map { ".!?".contains($0) } == true ? $0 : $0 + "." }, kind + rules + ".", helpDefault,
        ]
        .compactMap { $0 }
    }

    private static func helpDefault(_ text: String) -> String {
        text.utf8.count > 1_000 ? "The default has \(text.utf8.count) bytes as text." : "Default: \(text)."
    }

    private var helpDefault: String? {
        if isSecret { return "Secret." }
        return switch defaultValue {
        case .none: nil
        case .computed: "The default is computed."
        case .value: defaultText.map(Self.helpDefault(_:)) ?? "The default has no form as text."
        case .secret, .unreadable: nil
        }
    }
}

extension PropertyListStore {
    /// The stores that give values, the highest first, with the names of their layers.
    fileprivate func helpSources(
        under layers: [String]
    ) -> [(name: String, place: String?, store: any PropertyListStore)] {
        if let layered = self as? LayeredStore {
            return layered.layers.flatMap { $0.store.helpSources(under: layers + [$0.name]) }
        }
        let layer = layers.joined(separator: ": ")
        let place = (self as? any OutsideNaming)?.outsidePlace ?? (layer.hasSameUTF8(as: name) ? nil : name)
        return layer.isEmpty ? [(name, nil, self)] : [(layer, place, self)]
    }
}
