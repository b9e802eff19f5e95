import ArgumentParser
import Keyspan
import KeyspanCore

/// `kept`: lists, restores and discards values that were replaced or removed.
struct KeptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kept",
        abstract: "List, restore or discard values that were replaced or removed.",
        usage: """
            keyspan kept <domain> [<key>] [--output <output>] [--schema <file> | --show-secrets]
            keyspan kept restore <domain> <key> [--value <time>]
            keyspan kept discard <domain> <key> [--value <time> | --all]
            keyspan kept discard <domain> --all
            """,
        discussion: """
            The domain keeps the values that `set`, `write`, `delete`, `import` and `edit` replace or remove in the entry \
            keyspan.kept: the last eight for each key, as plain text, secrets included. The oldest of them go if all would take more \
            than twice the size of the domain and 1 MiB, or 64 KiB in a cluster; values that a program has kept stay. A program keeps a value there that it \
            replaces and cannot read, because the value is damaged or from another version. A value that is still there is \
            not kept: one that `rename` moves, a number to which `incr` adds, a list or a dictionary that only gets more.

            A kept value is named by the time of its replacement, as `keyspan kept` prints it.

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
            A line has the key, the time of the replacement, which names the value, and the value as in old-style property \
            lists. If two values of a key have the same time, the name of the second ends in -2. JSON and property lists are a list \
            of dictionaries. Restoring a value puts each of its \
            `entries` back under its name, and removes the entries listed in `absent`. The list is for other programs: \
            `import` refuses it, because it is not a domain, and because it adds three levels to each value, so that it \
            can have more levels than a domain.

            A domain without kept values prints nothing; naming a key without kept values is an error.

            \(SecretOptions.discussion) In JSON and plist a kept value without its hidden entries has "hidden": true.
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
        let contents = try place.contents()
        let found =
            if let key { try place.keptValues(ofKey: key, in: contents) } else { try place.keptValues(in: contents) }
        let policy = try secrets.policy()
        let mask = policy.mask(of: place, contents)
        let isNamed = key != nil && !policy.hidesNamedKeys
        let isOfOtherSchema = SecretMask.isOfOtherSchema(contents[KeptValues.entryName])
        let values = found.map { $0.masked(by: mask, isNamed: isNamed, isOfOtherSchema: isOfOtherSchema) }
        if zip(values, found).contains(where: { $0.entries != $1.entries }) {
            SecretMask.reportHiddenValues(by: [mask])
        }
        switch output {
        case .text:
            let writer = OldStyleWriter(style: StandardStream.output.style)
            for value in values {
                try StandardStream.output.writeLine(value.line(by: writer))
            }
        case .table:
            var table = TextTable("KEY", "REPLACED", "VALUE")
            for value in values { table.append(value.cells) }
            try table.write()
        case .json, .xml, .binary:
            try output.write(.value(.array(values.map(\.propertyList))), isMasked: false)
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

    @Option(help: ArgumentHelp("The time that `keyspan kept` prints; the newest value if omitted.", valueName: "time"))
    var value: String?

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        let values = try place.keptValues(ofKey: key)
        try place.restore(try place.keptValue(value ?? values.last?.id ?? "", of: values, ofKey: key))
    }
}

/// `kept discard`: removes kept values permanently.
struct KeptDiscardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Remove one or all kept values of a key, or all of a domain, permanently.",
        discussion: """
            If the key has several kept values, choose one with --value, or all with --all. A value that is kept while the \
            command runs stays.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key; all keys if omitted, with --all.", completion: .keptKey)
    var key: String?

    @Option(help: ArgumentHelp("The time that `keyspan kept` prints.", valueName: "time"))
    var value: String?

    @Flag(help: "Remove all kept values of the key or the domain.")
    var all = false

    func validate() throws {
        guard value == nil || !all else {
            throw ValidationError("--value and --all exclude each other; use only one of them.")
        }
    }

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        guard key != nil || all else {
            throw ToolError.usage("A key is missing; name one, or remove the kept values of all keys with --all.")
        }
        let values = if let key { try place.keptValues(ofKey: key) } else { try place.keptValues() }
        let chosen: [Defaults.KeptValue]
        if let key, let value {
            chosen = [try place.keptValue(value, of: values, ofKey: key)]
        } else if all || values.count == 1 {
            chosen = values.map(\.value)
        } else {
            throw ToolError.usage(
                "The domain \(domain.quoted) keeps \(values.count) values of the key \((key ?? "").quoted); "
                    + "name one with --value, or all with --all."
            )
        }
        if !chosen.isEmpty { try place.discard(chosen) }
    }
}

extension Domain {
    /// The kept values of all keys, by key and from oldest to newest.
    ///
    /// - Parameter contents: The contents of the domain, which are read unless given.
    /// - Throws: ``ToolError`` if the domain does not exist or its file cannot be read.
    func keptValues(in contents: PropertyListTable? = nil) throws(ToolError) -> [NamedKeptValue] {
        let contents = if let contents { contents } else { try self.contents() }
        return NamedKeptValue.naming(KeptValues(contents[KeptValues.entryName]).all)
    }

    /// The kept values of a key, at least one, from oldest to newest.
    ///
    /// - Throws: ``ToolError`` if there are none, the domain does not exist or its file cannot be read.
    func keptValues(ofKey key: String, in contents: PropertyListTable? = nil) throws(ToolError) -> [NamedKeptValue] {
        let values = try keptValues(in: contents).filter { $0.value.key.hasSameUTF8(as: key) }
        guard !values.isEmpty else {
            throw .absent(
                "The domain \(name.quoted) keeps no value of the key \(key.quoted); "
                    + "\(ShellWord.command("kept", [name])) lists what it keeps."
            )
        }
        return values
    }

    /// The kept value with a name.
    ///
    /// - Throws: ``ToolError`` if no value has the name.
    func keptValue(
        _ id: String,
        of values: [NamedKeptValue],
        ofKey key: String
    ) throws(ToolError) -> Defaults.KeptValue {
        guard let chosen = values.first(where: { $0.id.hasSameUTF8(as: id) }) else {
            throw .absent(
                "The domain \(name.quoted) keeps no value \(id.quoted) of the key \(key.quoted); "
                    + "\(ShellWord.command("kept", [name, key])) lists those that it keeps."
            )
        }
        return chosen.value
    }

    /// Removes kept values, and no others, in one step.
    func discard(_ values: [Defaults.KeptValue]) throws(ToolError) {
        try write(keepsValues: false) { (table, batch) throws(ToolError) in
            let record = table[KeptValues.entryName]
            var kept = KeptValues(record)
            for value in values { kept.remove(value) }
            batch.expect(record, forKey: KeptValues.entryName)
            batch.set(kept.stored, forKey: KeptValues.entryName)
        }
    }
}

/// A kept value with its name for users: the time of its replacement, which no other value of the key gets.
struct NamedKeptValue {
    /// The name.
    let id: String
    /// The value.
    let value: Defaults.KeptValue
    /// The entries of the value, as far as they are shown.
    private(set) var entries: PropertyListDictionary

    /// Names values that are sorted by key and from oldest to newest.
    static func naming(_ values: [Defaults.KeptValue]) -> [NamedKeptValue] {
        var counts: [[UTF8Text]: Int] = [:]
        return values.map { value in
            let time = JSONLine.time(value.date)
            let count = counts[[UTF8Text(value.key), UTF8Text(time)], default: 0] + 1
            counts[[UTF8Text(value.key), UTF8Text(time)]] = count
            return NamedKeptValue(id: count == 1 ? time : "\(time)-\(count)", value: value, entries: value.entries)
        }
    }

    /// The same value without what a mask hides.
    ///
    /// - Parameters:
    ///   - mask: The mask.
    ///   - isNamed: Whether a person has named the key, so that the entry of its name is shown.
    ///   - isOfOtherSchema: Whether another schema may have counted for the value.
    func masked(by mask: SecretMask, isNamed: Bool, isOfOtherSchema: Bool) -> NamedKeptValue {
        var masked = self
        masked.entries = mask.masked(value, isNamed: isNamed, isOfOtherSchema: isOfOtherSchema)
        return masked
    }

    /// The line for people: key, name and value.
    func line(by writer: OldStyleWriter) -> String {
        "\(writer.keyText(value.key))  \(id)  \(content(by: writer))"
    }

    /// The parts of the line as the cells of a table.
    var cells: [String] {
        let writer = OldStyleWriter()
        return [writer.keyText(value.key), id, content(by: writer)]
    }

    /// The name and the value as a property list.
    var propertyList: PropertyListValue {
        var parts: PropertyListDictionary = [
            "key": .string(value.key),
            "id": .string(id),
            "date": .date(value.date),
            "entries": .dictionary(entries),
        ]
        if entries != value.entries {
            let shown = entries.compactMapValues(\.forPrograms)
            parts["entries"] = .dictionary(shown)
            if shown.count < entries.count { parts["hidden"] = true }
        }
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
