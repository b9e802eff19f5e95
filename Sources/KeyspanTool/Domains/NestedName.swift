import Keyspan
import KeyspanFileStore

/// A name with dots, such as `tls.port`, whose value may be an entry of that name or nested in dictionaries: `{"tls": {"port": 443}}`.
///
/// A path leads through dictionaries only. An array is read and written as a whole.
struct NestedName {
    /// The explanation for the help of commands that take a key.
    static let discussion = """
        A key with dots is found nested as well: tls.port names the value of {"tls.port": 443} and of {"tls": {"port": 443}}. \
        If a domain has both, the first counts. A path leads through dictionaries only; an array is one value.
        """
    /// The explanation for the help of commands that write a key.
    static let discussionOfWriting = """
        \(discussion) A value is written where it is, and a new one into the innermost dictionary that the domain has for it, \
        else in the shape of most others: nested if the domain has more dictionaries than names with dots. Comments and the \
        layout of the file stay.
        """

    /// The whole name.
    let name: String
    /// The parts between the dots.
    private let parts: [String]

    /// Makes a nested name; `nil` for a name that is always that of an entry, as a file store defines it.
    init?(_ name: String) {
        guard !LibraryEntries.contains(name), let parts = GroupNames.parts(of: name) else { return nil }
        (self.name, self.parts) = (name, parts)
    }

    /// Whether the first part of the path is a dictionary.
    func isInGroup(of members: PropertyListTable) -> Bool { members[parts[0]]?.groupMembers != nil }

    /// Whether a new value is nested in a file that does not have it.
    ///
    /// The path decides if its first part is a dictionary. Otherwise the other names at the top do: dictionaries against names with
    /// dots. In doubt the name stays in one piece, which programs find with and without keys.
    func isNested(besides members: PropertyListDictionary) -> Bool {
        if members[parts[0]]?.groupMembers != nil { return true }
        let nested = members.count { $0.value.groupMembers?.isEmpty == false && !LibraryEntries.contains($0.key) }
        let dotted = members.count { NestedName($0.key) != nil }
        return nested > dotted
    }

    /// The innermost part of the path that has a value without members, as a clause; `nil` if the path ends elsewhere.
    func obstacle(in members: PropertyListTable) -> String? {
        for end in parts.indices.dropLast().reversed() {
            let name = parts[...end].joined(separator: ".")
            guard let value = members[name] else { continue }
            let quoted = name.quoted
            switch value.kind {
            case .dictionary: return nil
            case .array: return "\(quoted) is an array, which is read and written as a whole"
            default: return "\(quoted) has a value of the kind \(value.kind.name), which has no members"
            }
        }
        return nil
    }

    /// The names of all entries and of all values nested in them; none if they are more than a thousand, which takes long to compare.
    ///
    /// - Parameters:
    ///   - members: The entries.
    ///   - isNested: Whether names lead into dictionaries, as they do in a file.
    ///   - isSecret: Whether the members of a dictionary are secret, so that their names are left out.
    static func few(
        in members: PropertyListTable,
        isNested: Bool,
        besides isSecret: (String) -> Bool = { _ in false }
    ) -> [String] {
        let most = 1000
        guard members.count <= most else { return [] }
        var (names, pending) = ([String](), [(name: String, value: PropertyListValue)]())
        for key in members.sortedKeys { pending += members.entry(key).map { [(key, $0)] } ?? [] }
        while let (name, value) = pending.popLast() {
            names.append(name)
            guard isNested, !LibraryEntries.contains(name), let inner = value.groupMembers, !isSecret(name) else {
                continue
            }
            guard names.count + pending.count + inner.count <= most else { return [] }
            for (member, value) in inner where NestedName("\(name).\(member)") != nil {
                pending.append(("\(name).\(member)", value))
            }
        }
        return names.sorted { $0.utf8Precedes($1) }
    }

    /// The names of the values nested in an entry, outer ones first.
    static func names(below name: String, of value: PropertyListValue) -> [String] {
        guard !LibraryEntries.contains(name), let members = value.groupMembers else { return [] }
        return members.sortedByName().flatMap { member, value -> [String] in
            let path = "\(name).\(member)"
            return NestedName(path) == nil ? [] : [path] + names(below: path, of: value)
        }
    }
}

extension PropertyListValue {
    /// The members of a dictionary that paths lead through; `nil` for any other value.
    ///
    /// A name that begins with `$` is that of a tagged form or of a value that looks like one.
    var groupMembers: PropertyListDictionary? {
        guard case .dictionary(let members) = self, members.keys.allSatisfy({ $0.utf8.first != UInt8(ascii: "$") })
        else {
            return nil
        }
        return members
    }
}
