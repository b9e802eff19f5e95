@_spi(StoreAuthors) package import KeyspanCore

/// The names of the groups in which a file may nest its keys: `tls` and `tls.client` for a key named `tls.client.port`.
///
/// The name of a key is not one of them, so that a key whose value is a dictionary stays one.
package struct GroupNames: Sendable, Hashable {
    /// The names of the known keys.
    private(set) package var keys: Set<UTF8Text> = []
    private var prefixes: Set<UTF8Text> = []
    private var hashes: Set<UInt32> = []

    /// The number of groups around a key that may be nested; a key with more dots is written in one piece.
    package static let mostLevels = 16

    /// Makes the groups of keys.
    package init(of keys: some Sequence<String> = []) {
        add(keys)
    }

    /// Whether no key has a group.
    package var isEmpty: Bool { prefixes.isEmpty }

    /// Adds keys and their groups.
    ///
    /// - Returns: Whether other names are those of groups now.
    @discardableResult
    package mutating func add(_ keys: some Sequence<String>) -> Bool {
        var hasChanged = false
        for key in keys where self.keys.insert(key) {
            if prefixes.contains(key) { hasChanged = true }
            if addGroups(around: key) { hasChanged = true }
        }
        return hasChanged
    }

    /// Adds the groups around a key of another process, which may itself be a group here.
    ///
    /// - Returns: Whether other names are those of groups now.
    package mutating func addGroups(around key: String) -> Bool {
        var hasChanged = false
        for prefix in Self.groups(around: key) where prefixes.insert(prefix) {
            hashes.insert(UInt32(truncatingIfNeeded: UTF8Hash.of(prefix)))
            if !keys.contains(prefix) { hasChanged = true }
        }
        return hasChanged
    }

    /// Whether a name is one of a group.
    package func contains(_ name: String) -> Bool {
        !prefixes.isEmpty && prefixes.contains(name) && !keys.contains(name)
    }

    /// Whether a key may be nested in a group.
    package func nests(_ key: String) -> Bool {
        !prefixes.isEmpty && Self.groups(around: key).contains(where: contains)
    }

    /// Whether a name with a hash may be one of a group.
    func mayContain(nameWithHash hash: UInt32) -> Bool {
        hashes.contains(hash)
    }

    /// The names of the groups around a key, outermost first; none if a part of its name cannot be that of a member.
    package static func groups(around key: String) -> [String] {
        guard let parts = parts(of: key) else { return [] }
        var groups: [String] = []
        for part in parts.dropLast() { groups.append((groups.last.map { $0 + "." } ?? "") + part) }
        return groups
    }

    /// The parts of a key between its dots, by which it may be nested; `nil` for a key that is not nested.
    ///
    /// An empty part would be easily overlooked in a file, and one that begins with `$` could make a tagged form of its group.
    package static func parts(of key: String) -> [String]? {
        // Most keys have no dot.
        guard key.utf8.contains(dot) else { return nil }
        let parts = key.utf8.split(separator: dot, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard parts.count <= mostLevels + 1, parts.allSatisfy({ isMember($0) }) else { return nil }
        return parts
    }

    /// Whether a name can be that of a member of a group.
    static func isMember(_ name: String) -> Bool {
        name.utf8.first.map { $0 != UInt8(ascii: "$") } ?? false
    }

    private static let dot = UInt8(ascii: ".")
}
