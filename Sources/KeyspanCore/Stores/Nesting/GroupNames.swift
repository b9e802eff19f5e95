/// The names of the groups in which new keys are nested: `tls` and `tls.client` for a key named `tls.client.port`.
///
/// The name of a key is not one of them, so that the key can have a value.
package struct GroupNames: Sendable, Hashable {
    private var keys: Set<UTF8Text> = []
    private var prefixes: Set<UTF8Text> = []

    /// The number of groups around a key that may be nested; a key with more dots is written in one piece.
    package static let mostLevels = 16

    /// The length of the longest name that leads into dictionaries, in bytes; a longer one is that of an entry.
    ///
    /// The whole names of members repeat those of the dictionaries around them, so that without a limit a small file could have names of
    /// gigabytes.
    package static let mostBytes = 1024

    /// Makes the groups of keys.
    package init(of keys: some Sequence<String> = []) {
        formUnion(keys)
    }

    /// Whether no key has a group.
    package var isEmpty: Bool { prefixes.isEmpty }

    /// Adds keys and their groups.
    package mutating func formUnion(_ keys: some Sequence<String>) {
        for key in keys where self.keys.insert(key) && Self.canLeadInside(key) {
            var rest = key.utf8[...]
            while let dot = rest.lastIndex(of: Self.dot) {
                rest = rest[..<dot]
                // The groups around one that is there are there as well.
                guard prefixes.insert(String(Substring(rest))) else { break }
            }
        }
    }

    /// The groups of the keys of both.
    func union(_ other: GroupNames) -> GroupNames {
        var union = self
        union.formUnion(other.keys.lazy.map(\.wrappedValue))
        return union
    }

    /// Whether a name is one of a group.
    package func contains(_ name: String) -> Bool {
        !prefixes.isEmpty && prefixes.contains(name) && !keys.contains(name)
    }

    /// Whether a key may be nested in a group.
    package func nests(_ key: String) -> Bool {
        !prefixes.isEmpty && Self.groups(around: key).contains(where: contains)
    }

    /// The names of the groups, without those that are keys.
    package var names: [String] { prefixes.lazy.map(\.wrappedValue).filter { !keys.contains($0) } }

    /// The names of the groups around a key, outermost first; none if a part of its name cannot be that of a member.
    package static func groups(around key: String) -> [String] {
        key.beginningsBeforeDots.map(\.wrappedValue)
    }

    /// The parts of a key between its dots, by which it may be nested; `nil` for a key that is not nested.
    ///
    /// An empty part would be easily overlooked in a file, and one that begins with `$` could make a tagged form of its group.
    package static func parts(of key: String) -> [String]? {
        canLeadInside(key) ? key.utf8.split(separator: dot).map { String(Substring($0)) } : nil
    }

    /// Whether a name can lead into dictionaries: it has dots, and ``parts(of:)`` it.
    static func canLeadInside(_ name: String) -> Bool {
        if name.utf8.count > mostBytes { return false }
        var (dots, last) = (0, dot)
        for byte in name.utf8 {
            if last == dot, byte == dot || byte == UInt8(ascii: "$") { return false }
            if byte == dot { dots += 1 }
            last = byte
        }
        return last != dot && (1...mostLevels).contains(dots)
    }

    /// The name that leads to a member of a group; `nil` if none does.
    static func name(of member: String, in group: String) -> String? {
        // A name that is too long is not even made.
        if group.utf8.count + member.utf8.count >= mostBytes { return nil }
        let name = "\(group).\(member)"
        return canLeadInside(name) ? name : nil
    }

    static let dot = UInt8(ascii: ".")
}
