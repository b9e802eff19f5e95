import ArgumentParser
import Keyspan
import KeyspanCore

/// `diff`: compares two domains.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare the keys and values of two domains.",
        discussion: """
            A line is `- key = value` for a key that only the first domain has, `+ key = value` for one that only the \
            second has, and `~ key = value -> value` for a key with different values. Values of different kinds, such as \
            1 and "1", differ; a line names the kinds if the texts alone are equal.

            Kept values, which `keyspan kept` lists, are not compared.

            JSON is an object with the objects onlyInFirst, onlyInSecond and changed, which has a list of the two values \
            for each key.

            \(SecretOptions.discussion) A difference between two hidden values is listed without the values. In JSON a \
            hidden value is {"hidden": true}, and a dictionary without some of its members lists them in "$hidden".

            The exit status is 1 if the domains differ.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var first: String

    @Argument(help: "The domain to compare with it.", completion: .domain)
    var second: String

    @Option(name: .format, help: "The format.")
    var output = LineFormat.text

    @OptionGroup var secrets: SecretOptions

    func run() throws {
        let places = [
            try Domain(argument: first, in: DomainFolder()), try Domain(argument: second, in: DomainFolder()),
        ]
        let policy = try secrets.policy()
        let tables = try places.map { (place) throws(ToolError) in try place.contents() }
        let masks = zip(places, tables).map { policy.mask(of: $0, $1) }
        // Kept values are the history of a domain.
        let present = tables.map { (table) in
            var table = table.entriesAlone
            table[KeptValues.entryName] = nil
            return table
        }
        let whole = TableDifference(from: present[0], to: present[1])
        let difference = whole.masked(by: masks)
        let hiding = masks.filter { whole.masked(by: [$0]).entries != whole.entries }
        SecretMask.reportHiddenValues(by: hiding)
        switch output {
        case .text: try writeLines(of: difference)
        case .json: try ExportFormat.json.write(.value(difference.propertyList), to: .output)
        }
        try KeyspanCommand.checkCompleteness()
        if !difference.entries.isEmpty { throw ExitCode(ToolError.Status.difference.rawValue) }
    }

    private func writeLines(of difference: TableDifference) throws(ToolError) {
        let writer = OldStyleWriter(style: StandardStream.output.style)
        for entry in difference.entries {
            try StandardStream.output.writeLine(entry.line(by: writer))
        }
    }
}

extension TableDifference.Entry {
    /// The line for people.
    func line(by writer: OldStyleWriter) -> String {
        let name = writer.keyText(key)
        switch (old, new) {
        case (let old?, let new?):
            let (left, right) = (writer.line(of: old), writer.line(of: new))
            // Two values are the same here only if what differs is hidden.
            guard left.hasSameUTF8(as: right), old != new else { return "~ \(name) = \(left) -> \(right)" }
            let kinds = old.kind == new.kind ? "values inside" : "\(old.kind.name) -> \(new.kind.name)"
            return "~ \(name) = \(left) (\(kinds))"
        case (let old?, nil): return "- \(name) = \(writer.line(of: old))"
        case (nil, let new?): return "+ \(name) = \(writer.line(of: new))"
        case (nil, nil): return "  \(name)"
        }
    }
}

extension TableDifference {
    /// The differences as a property list.
    var propertyList: PropertyListValue {
        var (onlyInFirst, onlyInSecond) = (PropertyListDictionary(), PropertyListDictionary())
        var changed = PropertyListDictionary()
        for entry in entries {
            switch (entry.old, entry.new) {
            case (let old?, let new?): changed[entry.key] = [old.markedForPrograms, new.markedForPrograms]
            case (let old, nil): onlyInFirst[entry.key] = old?.markedForPrograms
            case (nil, let new): onlyInSecond[entry.key] = new?.markedForPrograms
            }
        }
        return [
            "changed": .dictionary(changed),
            "onlyInFirst": .dictionary(onlyInFirst),
            "onlyInSecond": .dictionary(onlyInSecond),
        ]
    }
}
