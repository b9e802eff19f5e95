import ArgumentParser
import Keyspan

/// `kept`: lists, restores and discards values that were unreadable to a program when it replaced them.
struct KeptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kept",
        abstract: "List, restore or discard unreadable values that a program has replaced.",
        usage: """
            keyspan kept <domain> [<key>] [--output <output>]
            keyspan kept restore <domain> <key> [--number <number>]
            keyspan kept discard <domain> <key> [--number <number> | --all]
            """,
        discussion: """
            When a program writes a key whose stored value it cannot read, because the value is damaged or from another \
            version, the domain keeps the old value in the entry keyspan.kept: the last eight for each key. Values that \
            this tool itself replaces or deletes are not kept, because it does not know which values a program can read.

            The values of a key are numbered from the oldest, 1, to the newest.

            To list a domain named list, restore or discard, use `keyspan kept list <domain>`.
            """,
        subcommands: [KeptListCommand.self, KeptRestoreCommand.self, KeptDiscardCommand.self],
        defaultSubcommand: KeptListCommand.self
    )
}

/// `kept list`: prints the kept values of a domain or of a key.
struct KeptListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the kept values of a domain or key, one on a line.",
        discussion: """
            A line has the key, the number of the value within its key, the time of its replacement, and the value as in \
            old-style property lists. JSON and property lists are a list of dictionaries. Restoring a value puts each of its \
            `entries` back under its name, and removes the entries listed in `absent`. The list is for other programs: \
            `import` refuses it, because it is not a domain, and because it adds three levels to each value, so that it \
            can have more levels than a domain.

            A domain without kept values prints nothing; naming a key without kept values is an error.

            \(SecretOptions.discussion)
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key; all keys if omitted.", completion: .keptKey)
    var key: String?

    @Option(name: .format, help: "The format.")
    var output = ReadFormat.text

    @OptionGroup var secrets: SecretOptions

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let found = if let key { try place.keptValues(ofKey: key) } else { try place.keptValues() }
        let policy = try secrets.policy()
        let mask = try policy.mask(of: place, place.snapshot())
        let isNamed = key != nil && !policy.hidesNamedKeys
        let values = found.map { $0.masked(by: mask, isNamed: isNamed) }
        if zip(values, found).contains(where: { $0.entries != $1.entries }) { try mask.reportHiddenValues() }
        switch output {
        case .text:
            let writer = OldStyleWriter(style: StandardStream.output.style)
            for value in values {
                try StandardStream.output.writeLine(value.line(by: writer))
            }
        case .table:
            var table = TextTable("KEY", "NUMBER", "REPLACED", "VALUE")
            for value in values { table.append(value.cells) }
            try table.write()
        case .json, .xml, .binary:
            try output.write(.value(.array(values.map(\.propertyList))))
        }
    }
}

/// `kept restore`: puts a kept value back.
struct KeptRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a kept value back under its key.",
        discussion: """
            The present value of the key is kept in its place, so that restoring again undoes it. A value in several \
            entries that an earlier version has kept lacks the names of the key's other entries, and is rejected.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .keptKey)
    var key: String

    @Option(help: "The number that `keyspan kept` prints; the newest value if omitted.")
    var number: Int?

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let values = try place.keptValues(ofKey: key)
        let chosen = try place.keptValue(number ?? values.count, of: values, ofKey: key)
        let names = chosen.entries.keys.map(\.self) + (chosen.absentEntries?.map(\.wrappedValue) ?? []) + [key]
        try place.edit(reaching: names) { (defaults) throws(StoreError) in try defaults.restore(chosen) }
    }
}

/// `kept discard`: removes kept values permanently.
struct KeptDiscardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Remove one or all kept values of a key permanently.",
        discussion: "If the key has several kept values, choose one with --number, or all with --all."
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .keptKey)
    var key: String

    @Option(help: "The number that `keyspan kept` prints.")
    var number: Int?

    @Flag(help: "Remove all kept values of the key.")
    var all = false

    func validate() throws {
        guard number == nil || !all else {
            throw ValidationError("--number and --all exclude each other; use only one of them.")
        }
    }

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let values = try place.keptValues(ofKey: key)
        let chosen: [Defaults.KeptValue]
        if let number {
            chosen = [try place.keptValue(number, of: values, ofKey: key)]
        } else if all || values.count == 1 {
            chosen = values.map(\.value)
        } else {
            throw ToolError.usage(
                "The domain \(domain.quoted) keeps \(values.count) values of the key \(key.quoted); "
                    + "name one with --number, or all with --all."
            )
        }
        try place.edit { (defaults) throws(StoreError) in
            for value in chosen {
                try defaults.discard(value)
            }
        }
    }
}

extension Domain {
    /// The kept values of all keys, by key and from oldest to newest.
    ///
    /// - Throws: ``ToolError`` if the domain does not exist or its file cannot be read.
    func keptValues() throws(ToolError) -> [NumberedKeptValue] {
        NumberedKeptValue.numbering(Defaults(InMemoryStore(try contents())).keptValues())
    }

    /// The kept values of a key, at least one, from oldest to newest.
    ///
    /// - Throws: ``ToolError`` if there are none, the domain does not exist or its file cannot be read.
    func keptValues(ofKey key: String) throws(ToolError) -> [NumberedKeptValue] {
        let values = try keptValues().filter { $0.value.key.hasSameUTF8(as: key) }
        guard !values.isEmpty else {
            throw .absent(
                "The domain \(name.quoted) keeps no value of the key \(key.quoted); "
                    + "`keyspan kept \(name)` lists what it keeps."
            )
        }
        return values
    }

    /// The kept value with a number.
    ///
    /// - Throws: ``ToolError`` if no value has the number.
    func keptValue(
        _ number: Int,
        of values: [NumberedKeptValue],
        ofKey key: String
    ) throws(ToolError) -> Defaults.KeptValue {
        guard let chosen = values.first(where: { $0.number == number }) else {
            throw .absent(
                "The domain \(name.quoted) keeps no value \(number) of the key \(key.quoted), "
                    + "only \(values.count == 1 ? "value 1" : "values 1 to \(values.count)"); "
                    + "`keyspan kept \(name) \(key)` lists them."
            )
        }
        return chosen.value
    }
}

/// A kept value with its number for users: its position within its key, from 1 for the oldest.
struct NumberedKeptValue {
    /// The number.
    let number: Int
    /// The value.
    let value: Defaults.KeptValue
    /// The entries of the value, as far as they are shown.
    private(set) var entries: PropertyListDictionary

    private init(number: Int, value: Defaults.KeptValue) {
        (self.number, self.value, entries) = (number, value, value.entries)
    }

    /// Numbers values that are sorted by key and from oldest to newest.
    static func numbering(_ values: [Defaults.KeptValue]) -> [NumberedKeptValue] {
        var (numbered, number) = ([NumberedKeptValue](), 0)
        for value in values {
            let isSameKey = numbered.last?.value.key.hasSameUTF8(as: value.key) == true
            number = isSameKey ? number + 1 : 1
            numbered.append(NumberedKeptValue(number: number, value: value))
        }
        return numbered
    }

    /// The same value without what a mask hides.
    ///
    /// - Parameters:
    ///   - mask: The mask.
    ///   - isNamed: Whether a person has named the key, so that its own value is shown.
    func masked(by mask: SecretMask, isNamed: Bool) -> NumberedKeptValue {
        var masked = self
        let isSecret = mask.hides(value.key)
        if isSecret, isNamed { return masked }
        for (name, entry) in value.entries {
            masked.entries[name] = isSecret ? .string(SecretMask.placeholder) : mask.masked(entry, ofKey: name)
        }
        return masked
    }

    /// The line for people: key, number, time and value.
    func line(by writer: OldStyleWriter) -> String {
        let date = OldStyleDate.text(of: value.date)
        return "\(writer.keyText(value.key))  \(number)  \(date)  \(content(by: writer))"
    }

    /// The parts of the line as the cells of a table.
    var cells: [String] {
        let writer = OldStyleWriter()
        return [
            writer.keyText(value.key), "\(number)", OldStyleDate.text(of: value.date), content(by: writer),
        ]
    }

    /// The number and the value as a property list.
    var propertyList: PropertyListValue {
        var parts: PropertyListDictionary = [
            "key": .string(value.key),
            "number": PropertyListValue(number),
            "date": .date(value.date),
            "entries": .dictionary(entries),
        ]
        if let absent = value.absentEntries, !absent.isEmpty {
            parts["absent"] = .array(absent.map(\.wrappedValue).sorted { $0.utf8Precedes($1) }.map { .string($0) })
        }
        return .dictionary(parts)
    }

    /// The value alone if its only entry has the key's name; otherwise all entries with their names.
    private func content(by writer: OldStyleWriter) -> String {
        if entries.count == 1, let lone = entries[value.key] { return writer.line(of: lone) }
        return entries.sortedByName()
            .map { "\(writer.keyText($0.key)) = \(writer.line(of: $0.value));" }
            .joined(separator: " ")
    }
}
