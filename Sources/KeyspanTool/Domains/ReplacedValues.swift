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
    /// The keys of values that cannot be kept.
    private var lost: [String] = []
    /// Whether they are lost because the cluster has no space.
    private var isWithoutSpace = false
    /// The number of values that were kept before and make room for these.
    private var older = 0
    /// The contents before the change.
    private var before = PropertyListTable()
    /// Whether names lead into dictionaries, as they do in a file.
    private var isNested = false
    /// The values of the written keys, one of which a change may have moved there.
    private var moved: [PropertyListValue] = []

    /// The weight of all values that are kept, in bytes: those of two changes of the whole domain, or a part of a transaction, which a cluster
    /// stores anew with each change.
    private var limit: Int {
        if !isNested { return 1 << 16 }
        var entries = before
        entries[KeptValues.entryName] = nil
        return (1 << 20) + 2 * PropertyListValue.dictionary(entries.dictionary).weight
    }

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
        moved = names.compactMap { after[$0.wrappedValue] }
        let (before, after) = (before.entriesAlone, after.entriesAlone)
        (self.before, self.isNested) = (before, isNested)
        for key in before.keysOfDifference(to: after).sortedTexts() where !LibraryEntries.contains(key) {
            guard let old = before[key] else { continue }
            append(old, replacedBy: after[key], named: key, writing: isNested ? names : nil)
        }
        lose { key in key.isEmpty || (try? LibraryEntries.check([key], in: "")) == nil }
    }

    private mutating func append(
        _ old: PropertyListValue,
        replacedBy new: PropertyListValue?,
        named name: String,
        writing names: Set<UTF8Text>?
    ) {
        if let names, !names.contains(UTF8Text(name)), let before = old.groupMembers, let after = new?.groupMembers {
            let gone = before.sortedByName().filter {
                !$0.value.isWhole(in: after[$0.key]) && !moved.contains($0.value)
            }
            // A name with dots would lead to another place, depending on the others that are there by then.
            if gone.allSatisfy({ !$0.key.utf8.contains(UInt8(ascii: ".")) && NestedName("\(name).\($0.key)") != nil }) {
                for (member, value) in gone {
                    append(value, replacedBy: after[member], named: "\(name).\(member)", writing: names)
                }
                return
            }
        }
        if !old.isWhole(in: new), !moved.contains(old) { values.append((name, old)) }
    }

    /// Takes all values for lost; the record stays as it is.
    ///
    /// - Parameter isWithoutSpace: Whether the cluster has no space for them.
    mutating func lose(forSpace isWithoutSpace: Bool) {
        lose { _ in true }
        (older, self.isWithoutSpace) = (0, isWithoutSpace)
    }

    private mutating func lose(where isLost: (String) -> Bool) {
        lost += values.map(\.key).filter(isLost)
        values.removeAll { isLost($0.key) }
    }

    /// Reports values that are lost.
    ///
    /// - Parameter name: The name of the domain.
    func reportLoss(in name: String) {
        let keys = Set(lost.map { UTF8Text($0) }).sortedTexts()
        if older > 0 {
            KeyspanCommand.report(
                "\(older == 1 ? "An older kept value is" : "\(older) older kept values are") gone to make room for others."
            )
        }
        if keys.isEmpty { return }
        let reason =
            isWithoutSpace
            ? "the space of the cluster is used up; compact and defragment it, or raise its quota, and disarm its alarm."
            : "the kept values would be too large, the name is one of Keyspan itself, or the cluster refuses the entry of the record; "
                + "\(ShellWord.command("kept discard", [name], options: ["--all"])) makes room for others."
        KeyspanCommand.report(
            "The former \(keys.count == 1 ? "value of the key" : "values of the keys") "
                + "\(keys.prefix(5).map(\.quoted).joined(separator: ", "))\(keys.count > 5 ? " and others" : "") cannot be kept: \(reason)"
        )
    }

    /// Adds the values to the record of a table that has the change; the oldest ones go if all are too large.
    mutating func keep(in table: inout PropertyListTable) {
        guard !values.isEmpty else { return }
        var kept = KeptValues(table[KeptValues.entryName])
        let date = Date()
        for (key, value) in values { kept.append([key: value], ofKey: key, at: date, isExpendable: true) }
        let removed = kept.limitExpendable(to: limit)
        older = removed.filter { $0.date < date }.count
        let left = Set(kept.all.filter { $0.date >= date }.map { UTF8Text($0.key) })
        lose { !left.contains(UTF8Text($0)) }
        table[KeptValues.entryName] = kept.stored
    }

    /// Reports the values if the file of a path has the record of them only now: its program may refuse members that it does not know.
    func reportNewRecord(in domain: Domain) {
        guard before[KeptValues.entryName] == nil, !values.isEmpty,
            domain.file?.path.hasSameUTF8(as: domain.name) == true
        else { return }
        report(in: domain, ["the file has the new member \(KeptValues.entryName.quoted)"])
    }

    /// Reports the values, which may be secrets that a person wants to be rid of.
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
        if !clauses.isEmpty { KeyspanCommand.report(sentence.prefix(1).uppercased() + sentence.dropFirst() + ".") }
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
