@_spi(StoreAuthors) import KeyspanCore

/// Finds values in a file or a folder that the keys of a store cannot use: they cannot be read, or break a rule.
final class UnusableValueCheck: Sendable {
    /// What happens to such values.
    let policy: FileStoreOptions.UnusableValues

    private let keys: [Defaults.AnyKey]
    /// The positions in `keys` of the keys with an entry.
    private let positions: TextDictionary<[Int]>
    /// The names of entries with dots by each beginning before a dot.
    private let namesInside: TextDictionary<[String]>
    /// A store with the name of the file, for the texts of errors.
    private let store: InMemoryStore
    private let findLines: @Sendable ([String]) -> TextDictionary<Int>

    /// Makes the check of a store's file; `nil` if nothing is checked.
    init?(
        of keys: [Defaults.AnyKey],
        _ policy: FileStoreOptions.UnusableValues = .areHeldBack,
        path: String,
        findingLines findLines: @escaping @Sendable ([String]) -> TextDictionary<Int> = { _ in [:] }
    ) {
        if keys.isEmpty || policy == .areAdmitted { return nil }
        self.policy = policy
        let secrets = SecretEntries(of: keys)
        self.keys = keys.map(secrets.concealed)
        var positions: TextDictionary<[Int]> = [:]
        for (position, key) in keys.enumerated() {
            for entry in key.entryNames { positions[entry, default: []].append(position) }
        }
        self.positions = positions
        namesInside = positions.keys.reduce(into: [:]) { names, name in
            for group in GroupNames.groups(around: name) { names[group, default: []].append(name) }
        }
        store = InMemoryStore(name: path)
        self.findLines = findLines
    }

    /// The values that their keys cannot use.
    ///
    /// - Parameters:
    ///   - table: The whole contents.
    ///   - old: The contents before, if only values are wanted that are worth holding back; `nil` for all.
    ///   - others: The checks of other stores of the file.
    ///   - entries: The entries that were written; values of others are not examined.
    ///   - findLines: Finds the lines of names, if they come with the contents.
    ///   - isOld: Whether the value of a name is from before, although it may lead into one of these.
    /// - Returns: `nil` if there are none.
    func unusableValues(
        in table: PropertyListTable,
        after old: PropertyListTable? = nil,
        beside others: [UnusableValueCheck] = [],
        writtenTo entries: some Sequence<String>,
        findingLines findLines: (([String]) -> TextDictionary<Int>)? = nil,
        unless isOld: (String) -> Bool
    ) -> UnusableValuesError? {
        let names = entries.flatMap { [$0] + (namesInside[$0] ?? []) }.filter { !isOld($0) }
        let affected = Set(names.flatMap { positions[$0] ?? [] }).sorted().map { keys[$0] }
        var found = affected.map { (key: $0, problems: $0.problems(in: table, of: store)) }.filter {
            !$0.problems.isEmpty
        }
        if let old {
            let excluded = found.map(\.key).filter { !isUsed(by: $0, in: old) }
            let usable = UsableKeys(of: [self] + others, in: table, after: old, excluding: excluded)
            let identifiers = Set(excluded.map { ObjectIdentifier($0) })
            found.removeAll { each in
                identifiers.contains(ObjectIdentifier(each.key))
                    && usable.containsAny(excluding: each.key, each.problems)
            }
        }
        if found.isEmpty { return nil }
        let lines = (findLines ?? self.findLines)(found.flatMap(\.key.entryNames))
        return UnusableValuesError(
            entries: allEntries(of: found.map(\.key), unless: isOld),
            problems: found.flatMap(\.problems),
            lines: found.flatMap { key, problems in problems.map { _ in key.entryNames.compactMap { lines[$0] }.first }
            }
        )
    }
}

extension UnusableValueCheck {
    /// The keys of stores of one file that can use their values in a table; each is asked once.
    ///
    /// Keys of one entry, or of an entry inside of another, can exclude each other: if the entry had to suit all of them, it would
    /// never change again. So a key that cannot use the value before either does not hold back what another one can use.
    private final class UsableKeys {
        private let checks: [UnusableValueCheck]
        private let old: PropertyListTable
        private let new: PropertyListTable
        /// The new table without the values of excluded keys that had none before.
        private let rest: PropertyListTable
        private var usable: [Place: Bool] = [:]

        private struct Place: Hashable {
            let check: Int
            let key: Int
            let isInRest: Bool
        }

        init(
            of checks: [UnusableValueCheck],
            in new: PropertyListTable,
            after old: PropertyListTable,
            excluding keys: [Defaults.AnyKey]
        ) {
            (self.checks, self.old, self.new) = (checks, old, new)
            var rest = new
            for entry in keys.flatMap(\.entryNames) where old[stored: entry] == nil { rest[stored: entry] = nil }
            self.rest = rest
        }

        /// Whether a key can use a value of the entries of another one that cannot.
        func containsAny(excluding key: Defaults.AnyKey, _ problems: [Defaults.InvalidValue]) -> Bool {
            let isUnreadable = problems.contains {
                if case .unreadable = $0.cause { true } else { false }
            }
            return checks.indices.contains { check in
                key.entryNames.contains { entry in
                    let inside = [entry] + (checks[check].namesInside[entry] ?? [])
                    if containsAny(of: inside, check: check, where: { _ in true }) { return true }
                    // A new member that breaks a rule of its own can be held back beside the others of its dictionary.
                    let isApart = !isUnreadable && old[stored: entry] == nil
                    return containsAny(of: GroupNames.groups(around: entry), check: check) {
                        !isApart || !isUsable($0, of: check, inRest: true)
                    }
                }
            }
        }

        private func containsAny(of names: [String], check: Int, where condition: (Int) -> Bool) -> Bool {
            Set(names.flatMap { checks[check].positions[$0] ?? [] }).contains {
                isUsable($0, of: check, inRest: false) && condition($0)
            }
        }

        private func isUsable(_ position: Int, of check: Int, inRest isInRest: Bool) -> Bool {
            let place = Place(check: check, key: position, isInRest: isInRest)
            if let known = usable[place] { return known }
            let isUsable = checks[check].isUsed(by: checks[check].keys[position], in: isInRest ? rest : new)
            usable[place] = isUsable
            return isUsable
        }
    }

    /// Whether a table has a value of a key, and the key can use it.
    private func isUsed(by key: Defaults.AnyKey, in table: PropertyListTable) -> Bool {
        key.entryNames.contains { table[stored: $0] != nil } && key.problems(in: table, of: store).isEmpty
    }

    /// The entries of keys, and of all keys that would have entries of two versions if these were held back.
    private func allEntries(of keys: [Defaults.AnyKey], unless isOld: (String) -> Bool) -> Set<UTF8Text> {
        var (entries, names) = (Set<UTF8Text>(), keys.flatMap(\.entryNames))
        while let name = names.popLast() {
            guard entries.insert(UTF8Text(name)).inserted, !isOld(name) else { continue }
            names += (positions[name] ?? []).flatMap { self.keys[$0].entryNames }
        }
        return entries
    }

    /// Gives keys that cannot use their values in a new version of a source the values before.
    ///
    /// - Parameters:
    ///   - new: The new version.
    ///   - old: The version in effect.
    ///   - examination: The calls of rules and bridges, which keep others from the source.
    ///   - findLines: Finds the lines of names in the new version.
    /// - Returns: The values that are held back; `nil` if there are none.
    func holdBack(
        from new: inout PropertyListTable,
        after old: PropertyListTable,
        in examination: Examination,
        findingLines findLines: (([String]) -> TextDictionary<Int>)? = nil
    ) -> HeldValues? {
        var held = HeldValues()
        // Repeated, because a value that is held back may be inside of the value of another key.
        while let error = examination.run(
            exclusively: true,
            {
                unusableValues(in: new, after: old, writtenTo: positions.keys, findingLines: findLines) {
                    new[stored: $0] == old[stored: $0]
                }
            }
        ), held.append(error) {
            for entry in error.entries { new[stored: entry.wrappedValue] = old[stored: entry.wrappedValue] }
        }
        return held.entries.isEmpty ? nil : held
    }
}

/// The values of a source that are held back, each of which is reported once.
struct HeldBackReports {
    private var values: [UTF8Text: StoredValue?] = [:]

    /// Notes what is held back of a version.
    ///
    /// - Parameters:
    ///   - held: The values; `nil` if there are none.
    ///   - table: The version as it was written.
    /// - Returns: Whether one of them was not held back of the version before.
    mutating func note(_ held: HeldValues?, of table: PropertyListTable) -> Bool {
        let before = values
        values = [:]
        for entry in held?.entries ?? [] { values.updateValue(table[stored: entry.wrappedValue], forKey: entry) }
        return values.contains { before[$0.key] != .some($0.value) }
    }
}

/// Values that their keys cannot use, each with its problem and line.
struct UnusableValuesError: Error {
    private static let mostProblems = 10

    /// The entries of the keys.
    let entries: Set<UTF8Text>
    /// The problems, in the order of the keys.
    let problems: [Defaults.InvalidValue]
    /// The line of each problem, if it is known.
    let lines: [Int?]
}

extension UnusableValuesError: CustomStringConvertible {
    /// The problems in the order of the keys, without their remedies.
    var description: String {
        let texts = zip(problems, lines).prefix(Self.mostProblems).map { problem, line in
            let place = line.map { "line \($0): " } ?? ""
            let path = if case .unreadable(let error) = problem.cause { error.cause.path.description } else { "" }
            return "\(place)key \(problem.key.quoted)\(path): \(problem.summary)"
        }
        let rest = problems.count - texts.count
        return texts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }
}
