@_spi(StoreAuthors) import KeyspanCore

/// Finds the names in a file that no key of a store has.
final class UnknownNameCheck: Sendable {
    private let keys: Set<UTF8Text>
    private let policy: Defaults.UnknownNames
    private let path: String
    /// Finds the lines of names in the file as it is now.
    private let findLines: @Sendable ([String]) -> TextDictionary<Int>
    /// The names that were reported and are in the file still.
    private let reported = Locked<Set<UTF8Text>>([])

    /// Makes the check of a store's file; `nil` if nothing is checked.
    convenience init?(
        of keys: [String],
        _ policy: Defaults.UnknownNames,
        path: String,
        sizeLimit: Int,
        _ codec: any FileCodec,
        _ naming: NestedNaming?,
        _ fileSystem: any FileSystem
    ) {
        self.init(of: keys, policy, path: path) { names in
            codec.lines(of: names, inFileAt: path, naming, sizeLimit: sizeLimit, fileSystem)
        }
    }

    /// Makes the check of a file of which each version comes with its lines; `nil` if nothing is checked.
    init?(
        of keys: [String],
        _ policy: Defaults.UnknownNames,
        path: String,
        findingLines findLines: @escaping @Sendable ([String]) -> TextDictionary<Int> = { _ in [:] }
    ) {
        if keys.isEmpty || policy == .areIgnored { return nil }
        self.keys = Set(keys)
        self.policy = policy
        self.path = path
        self.findLines = findLines
    }

    /// Checks what the file has when the store is opened, and reports what is unknown.
    ///
    /// - Throws: ``FileStoreError`` if the store is strict.
    func checkFirst(_ table: PropertyListTable) throws(FileStoreError) {
        let names = table.unsortedKeys.filter { !isKnown($0) }.sorted { $0.utf8Precedes($1) }
        if names.isEmpty { return }
        switch policy {
        case .areIgnored: break
        case .areReported: report(names, in: table)
        case .strict: throw .unknownNames(unknown(names), path: path)
        }
    }

    /// Checks a version that another writer made of a table.
    ///
    /// - Parameters:
    ///   - findLines: Finds the lines of its names, if they come with the version.
    ///   - reportLater: Runs a report when no lock is held.
    /// - Throws: An error if the store is strict.
    func check(
        _ new: PropertyListTable,
        madeOf old: PropertyListTable,
        findingLines findLines: (([String]) -> TextDictionary<Int>)? = nil,
        reportLater: (@escaping @Sendable () -> Void) -> Void
    ) throws {
        var names: [String] = []
        old.forEachDifference(to: new) { name, before, now in
            if before == nil, now != nil, !isKnown(name) { names.append(name) }
            return true
        }
        if names.isEmpty { return }
        names.sort { $0.utf8Precedes($1) }
        let lines = findLines?(names)
        switch policy {
        case .areIgnored: break
        case .areReported: reportLater { [names] in self.report(names, in: new, lines) }
        case .strict: throw FileStoreError.unknownNames(unknown(names, lines), path: path)
        }
    }

    private func isKnown(_ name: String) -> Bool {
        // Editors find the schema of a file by that member.
        keys.contains(name) || LibraryEntries.contains(name) || name.hasSameUTF8(as: "$schema")
    }

    private func report(_ names: [String], in table: PropertyListTable, _ lines: TextDictionary<Int>? = nil) {
        let new = reported.withLock { reported in
            reported = reported.filter { table[$0.wrappedValue] != nil }
            return names.filter { reported.insert($0) }
        }
        if !new.isEmpty { Defaults.UnknownName.report(unknown(new, lines)) }
    }

    /// The names of the groups around a key: `a` and `a.b` for `a.b.c`.
    private static func groups(of key: String) -> [UTF8Text] {
        key.utf8.indices.filter { key.utf8[$0] == UInt8(ascii: ".") }.map { UTF8Text(String(key[..<$0])) }
    }

    private func unknown(_ names: [String], _ lines: TextDictionary<Int>? = nil) -> [Defaults.UnknownName] {
        let lines = lines ?? findLines(names)
        let known = keys.union(keys.flatMap { Self.groups(of: $0.wrappedValue) })
        return NearestName.suggestions(for: names) { name in
            known.contains(name)
                ? nil : NearestName.of(name, among: known.lazy.map(\.wrappedValue)) ?? onlyKey(inGroupsAs: name)
        }.map { name, suggestion in
            Defaults.UnknownName(
                name,
                source: Provenance([.init(store: path, line: lines[name])]),
                suggestion: suggestion,
                memberOfGroup: known.contains(name) ? firstMember(ofGroup: name) : nil
            )
        }
    }

    /// The key that has a name in some group, as `tls.port` has `port`; `nil` if none or several have it.
    private func onlyKey(inGroupsAs name: String) -> String? {
        let suffix = "." + name
        let matches = keys.lazy.map(\.wrappedValue).filter { $0.hasUTF8Suffix(suffix) }.prefix(2)
        return matches.count == 1 ? matches.first : nil
    }

    /// The first key in a group; `nil` if the name is not that of a group.
    private func firstMember(ofGroup name: String) -> String? {
        let prefix = name + "."
        return keys.lazy.map(\.wrappedValue).filter { $0.hasUTF8Prefix(prefix) }.min { $0.utf8Precedes($1) }
    }
}

extension FileStoreError {
    /// The number of names that an error lists.
    private static let mostNames = 10

    /// The error of a file or folder with names that no key has.
    static func unknownNames(_ names: [Defaults.UnknownName], path: String) -> FileStoreError {
        FileStoreError(
            step: .validate,
            path: path,
            reason: names.prefix(mostNames).map(\.locatedClause).joined(separator: "; ")
                + (names.count > mostNames ? "; and \(names.count - mostNames) more" : ""),
            remedy: "correct the names, or declare keys for them",
            underlying: names.first
        )
    }
}

extension Defaults.UnknownName {
    /// The line, the name and the suggestion, as a clause.
    fileprivate var locatedClause: String {
        (source.sources.first?.line.map { "line \($0): " } ?? "") + clause
    }
}
