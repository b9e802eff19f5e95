#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The author of a change that was made on a page.
struct Author: Sendable, Hashable {
    /// The name of the person; `nil` if the program does not know it.
    let person: String?
}

/// The changes that pages have sent, and which the store has not reported yet: from these, a reported change has its author.
///
/// A change is that of a submission if it has the very values that the submission leads to.
struct Submissions: Sendable {
    typealias ID = UInt64

    /// The author of some entries of a change.
    struct Authored: Sendable {
        let author: Author
        let names: Set<UTF8Text>
    }

    private struct Submission: Sendable {
        let id: ID
        let author: Author
        let instant: ContinuousClock.Instant
        var expected = Expected()
    }

    /// The entries with other values to which a submission leads; `nil` for a removal.
    struct Expected: Sendable {
        /// Those that readers will see.
        var read: TextDictionary<StoredValue?> = [:]
        /// Those of the written store that readers will not see, because a layer above has others.
        var hidden: TextDictionary<StoredValue?> = [:]
    }

    /// The time in which the change of a submission has to be reported.
    private static let patience = Duration.seconds(60)

    private var submissions: [Submission] = []
    private var lastID: ID = 0

    /// Adds a submission, whose values are not known yet.
    mutating func begin(by author: Author) -> ID {
        let now = ContinuousClock.now
        submissions.removeAll { now - $0.instant > Self.patience }
        lastID += 1
        submissions.append(Submission(id: lastID, author: author, instant: now))
        return lastID
    }

    /// Notes the values that a submission leads to.
    mutating func expect(
        _ after: SettingsEdit.Entries,
        insteadOf before: SettingsEdit.Entries,
        hidden: [String],
        of id: ID
    ) {
        guard let index = submissions.firstIndex(where: { $0.id == id }) else { return }
        let hidden = Set(hidden.map { UTF8Text($0) })
        let read = Self.differences(after.read, before.read).filter { !hidden.contains(UTF8Text($0.key)) }
        let written = Self.differences(after.written, before.written).filter { hidden.contains(UTF8Text($0.key)) }
        submissions[index].expected = Expected(read: read, hidden: written)
    }

    /// Removes a submission.
    mutating func end(_ id: ID) {
        submissions.removeAll { $0.id == id }
    }

    /// The author of entries that have changed; each submission is taken once.
    mutating func takeAuthor(
        of entries: [PropertyListChange.Entry],
        where side: WritableKeyPath<Expected, TextDictionary<StoredValue?>>
    ) -> Authored? {
        let now = ContinuousClock.now
        submissions.removeAll { now - $0.instant > Self.patience }
        if submissions.isEmpty { return nil }
        let new = entries.reduce(into: TextDictionary<StoredValue?>()) { $0[$1.key] = .some($1.storedNew) }
        for index in submissions.indices {
            let expected = submissions[index].expected[keyPath: side]
            guard !expected.isEmpty, expected.allSatisfy({ new[$0.key] == .some($0.value) }) else { continue }
            let authored = Authored(
                author: submissions[index].author,
                names: Set(expected.map { UTF8Text($0.key) })
            )
            submissions[index].expected[keyPath: side] = [:]
            let rest = submissions[index].expected
            if rest.read.isEmpty, rest.hidden.isEmpty { submissions.remove(at: index) }
            return authored
        }
        return nil
    }

    private static func differences(
        _ after: TextDictionary<StoredValue>,
        _ before: TextDictionary<StoredValue>
    ) -> TextDictionary<StoredValue?> {
        var differences: TextDictionary<StoredValue?> = [:]
        for (name, value) in after where before[name] != value { differences[name] = .some(value) }
        for (name, _) in before where after[name] == nil { differences[name] = .some(nil) }
        return differences
    }
}
#endif
