import Keyspan
import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values that a change of a domain removes or replaces, which the domain keeps in the library's own record.
///
/// A value that its successor still contains is not kept, such as a list to which elements are appended.
struct ReplacedValues {
    /// The values by their keys; of one key the value that counts comes last.
    private(set) var values: [(key: String, value: PropertyListValue)] = []
    /// Whether the domain has kept no values before.
    private var isFirst = false

    /// Makes no values.
    init() {}

    /// Compares the contents of a domain before and after a change.
    ///
    /// - Parameters:
    ///   - before: The contents before it.
    ///   - after: The contents after it.
    ///   - names: The keys that the change writes as a whole; dictionaries with other names are compared member by member.
    ///   - isNested: Whether names lead into dictionaries, as they do in a file.
    init(
        from before: PropertyListTable,
        to after: PropertyListTable,
        writing names: Set<UTF8Text> = [],
        isNested: Bool
    ) {
        let (before, after) = (before.entriesAlone, after.entriesAlone)
        isFirst = before[KeptValues.entryName] == nil
        for key in before.keysOfDifference(to: after).sortedTexts() where !LibraryEntries.contains(key) {
            guard let old = before[key] else { continue }
            append(old, replacedBy: after[key], named: key, writing: isNested ? names : nil)
        }
    }

    private mutating func append(
        _ old: PropertyListValue,
        replacedBy new: PropertyListValue?,
        named name: String,
        writing names: Set<UTF8Text>?
    ) {
        if let names, !names.contains(UTF8Text(name)), let before = old.groupMembers, let after = new?.groupMembers,
            before.keys.allSatisfy({ NestedName("\(name).\($0)") != nil && Self.isPlaced($0, in: after) })
        {
            for (member, value) in before.sortedByName() {
                append(value, replacedBy: after[member], named: "\(name).\(member)", writing: names)
            }
        } else if !old.isWhole(in: new) {
            values.append((name, old))
        }
    }

    /// Whether the name of a member leads to the same place again: with dots it does beside another one with dots.
    private static func isPlaced(_ name: String, in members: PropertyListDictionary) -> Bool {
        let dot = UInt8(ascii: ".")
        return !name.utf8.contains(dot) || members.keys.contains { $0.utf8.contains(dot) }
    }

    /// Reports that the values are lost, because the change would be too large with them.
    func reportLoss() {
        let keys = Set(values.map { UTF8Text($0.key) }).sortedTexts()
        if keys.isEmpty { return }
        try? KeyspanCommand.report(
            "The former \(keys.count == 1 ? "value of the key" : "values of the keys") "
                + "\(keys.prefix(5).map(\.quoted).joined(separator: ", "))\(keys.count > 5 ? " and others" : "") cannot be kept, because the "
                + "change would be too large with \(keys.count == 1 ? "it" : "them")."
        )
    }

    /// Adds the values to the record of a table that has the change.
    func keep(in table: inout PropertyListTable) {
        guard !values.isEmpty else { return }
        var kept = KeptValues(table[KeptValues.entryName])
        let date = Date()
        for (key, value) in values { kept.append([key: value], ofKey: key, at: date) }
        table[KeptValues.entryName] = kept.stored
    }

    /// Reports the values if the file of a path has the record of them only now: its program may refuse members that it does not know.
    func reportNewRecord(in domain: Domain) {
        guard isFirst, !values.isEmpty, domain.file?.path.hasSameUTF8(as: domain.name) == true else { return }
        report(in: domain, ["the file has the new member \(KeptValues.entryName.quoted)"])
    }

    /// Reports the values, which may be secrets that a person wants to be rid of.
    ///
    /// If standard error accepts no output, the command does not fail, because the change is done.
    ///
    /// - Parameters:
    ///   - domain: The domain that keeps them.
    ///   - clauses: What else there is to say.
    func report(in domain: Domain, _ clauses: [String] = []) {
        var clauses = clauses
        let keys = Set(values.map { UTF8Text($0.key) }).sortedTexts()
        if let first = keys.first {
            let subject =
                keys.count == 1
                ? "the former value of the key \(first.quoted) is" : "the former values of \(keys.count) keys are"
            let words = keys.count == 1 ? [domain.name, first] : [domain.name]
            let command = ShellWord.command("kept discard", words, options: ["--all"])
            clauses.append("\(subject) kept; \(command) removes \(keys.count == 1 ? "it" : "them") for good")
        }
        let sentence = clauses.joined(separator: "; ")
        if !clauses.isEmpty { try? KeyspanCommand.report(sentence.prefix(1).uppercased() + sentence.dropFirst() + ".") }
    }
}

extension PropertyListValue {
    /// Whether a value is still there in its successor, which may have more elements at its end or more members.
    fileprivate func isWhole(in other: PropertyListValue?) -> Bool {
        switch (self, other) {
        case (.array(let elements), .array(let others)?): others.starts(with: elements)
        case (.dictionary(let members), .dictionary(let others)?):
            members.allSatisfy { $0.value.isWhole(in: others[$0.key]) }
        default: self == other
        }
    }
}
