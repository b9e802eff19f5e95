@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// The changes that a page sends, as JSON: `{"changes": [{"key": "title", "version": "6f.12", "text": "Shopping"}]}`.
///
/// In place of `text`, which is converted as a variable would be, a change has `json`, which is a text of JSON, or `reset`.
struct SubmittedChanges {
    /// One change, as far as it is understood.
    private struct Submitted {
        let key: Defaults.AnyKey
        let version: SettingsVersion?
        let content: SettingsEdit.Content
    }

    /// A body that no page sends.
    private struct Malformed: Error {
        let sentence: String
    }

    private var submitted: [Submitted] = []
    /// The problems of single keys, as members of the response.
    private var flaws: [PropertyListValue] = []

    /// Applies the changes of a body, and answers the page.
    ///
    /// - Parameters:
    ///   - body: The JSON.
    ///   - view: The view of the person, who may edit.
    static func respond(to body: [UInt8], in view: SettingsView) async -> SettingsConsole.Response {
        let changes: SubmittedChanges
        do throws(Malformed) {
            changes = try SubmittedChanges(body, in: view)
        } catch {
            return .failure(400, error.sentence)
        }
        return await changes.respond(in: view)
    }

    private init(_ body: [UInt8], in view: SettingsView) throws(Malformed) {
        let content: PropertyListValue
        do {
            content = try JSONText.parse(body)
        } catch {
            throw Malformed(sentence: "The body is not JSON: line \(error.line), column \(error.column).")
        }
        guard case .dictionary(let members) = content, case .array(let changes)? = members["changes"], !changes.isEmpty
        else { throw Malformed(sentence: "The body has no changes.") }
        var names: Set<UTF8Text> = []
        for change in changes {
            guard case .dictionary(let members) = change, let name = members["key"]?.stringValue else {
                throw Malformed(sentence: "A change has no key.")
            }
            guard names.insert(UTF8Text(name)).inserted else {
                throw Malformed(sentence: "Two changes have the same key.")
            }
            try add(members, named: name, in: view)
        }
    }

    private mutating func add(
        _ members: PropertyListDictionary,
        named name: String,
        in view: SettingsView
    ) throws(Malformed) {
        guard let key = view.key(named: name) else {
            return flaws.append(Self.flaw(of: name, "There is no such key."))
        }
        guard view.access.canEdit(key) else {
            return flaws.append(Self.flaw(of: name, "You may not change this key."))
        }
        let content: SettingsEdit.Content
        switch (members["text"]?.stringValue, members["json"]?.stringValue, members["reset"]?.booleanValue) {
        case (let text?, nil, nil): content = .given(StoredValue(.string(text), isText: true))
        case (nil, let text?, nil):
            do {
                content = .given(StoredValue(try JSONText.parse(Array(text.utf8))))
            } catch {
                let sentence = key.isSecret ? "The text is not JSON." : "The text is not JSON: \(error)"
                return flaws.append(Self.flaw(of: name, sentence, line: error.line, column: error.column))
            }
        case (nil, nil, true): content = .none
        default: throw Malformed(sentence: "A change needs one of text, json and reset.")
        }
        let version = members["version"]?.stringValue.flatMap(SettingsVersion.init)
        submitted.append(Submitted(key: key, version: version, content: content))
    }

    private func respond(in view: SettingsView) async -> SettingsConsole.Response {
        let view = view.renewed
        let outdated = submitted.filter { $0.version != view.snapshot.version(of: $0.key) }.map(\.key)
        if !outdated.isEmpty { return Self.conflict(of: outdated, in: view) }
        if !flaws.isEmpty { return .json(422, ["errors": .array(flaws)]) }
        let edit = SettingsEdit(
            submitted.map { change in
                .init(of: change.key, to: change.content, insteadOf: view.snapshot.entries(of: change.key))
            }
        )
        let journal = view.journal
        let submission = journal.begin(submitted.flatMap { $0.key.entryNames }, by: view.access.person)
        do throws(SettingsEdit.CommitError) {
            try await edit.commit(to: journal.store)
        } catch {
            switch error {
            case .conflict(let keys):
                journal.end(submission)
                return Self.conflict(of: keys, in: view.renewed)
            case .invalid(let problems):
                journal.end(submission)
                let flaws = problems.map { Self.flaw(of: $0.key.name, $0.reason) }
                return .json(422, ["errors": .array(flaws)])
            case .store(let error) where error.isConflict:
                journal.end(submission)
                let keys = submitted.map(\.key).filter { key in
                    error.key.map { name in key.entryNames.contains { $0.hasSameUTF8(as: name) } } ?? true
                }
                return Self.conflict(of: keys, in: view.renewed)
            case .store(let error) where error.code == .notDurable:
                return response(
                    in: view,
                    warning: "The change is in effect, but not saved: \(error.reason); \(error.remedy)."
                )
            case .store(let error):
                journal.end(submission)
                return .json(503, ["message": .string("Nothing was changed: \(error.reason); \(error.remedy).")])
            }
        }
        // Its change will not come, and another one must not get its author.
        let isWithoutEffect = edit.changes.allSatisfy { change in
            change.key.entryNames.allSatisfy { journal.store.storedValue(forKey: $0) == change.seen[$0] }
        }
        if isWithoutEffect { journal.end(submission) }
        return response(in: view, warning: nil)
    }

    private func response(in view: SettingsView, warning: String?) -> SettingsConsole.Response {
        let keys = submitted.map(\.key)
        view.options.onEdit?(.init(person: view.access.person, keys: keys.map(\.name)))
        var members = SettingsUpdate(of: keys, in: view.renewed).members
        let hidden = keys.filter { $0.isHidden(in: view.journal.store) }.map(\.name)
        let warnings = [
            warning,
            hidden.isEmpty
                ? nil
                : "Saved, but a layer above decides the value that the program reads: \(hidden.joined(separator: ", ")).",
        ]
        members["warnings"] = .array(warnings.compactMap { $0.map { .string($0) } })
        return .json(200, members)
    }

    private static func conflict(of keys: [Defaults.AnyKey], in view: SettingsView) -> SettingsConsole.Response {
        .json(409, SettingsUpdate(of: keys, in: view).members)
    }

    private static func flaw(
        of name: String,
        _ sentence: String,
        line: Int? = nil,
        column: Int? = nil
    ) -> PropertyListValue {
        var members: PropertyListDictionary = ["key": .string(name), "message": .string(sentence)]
        members["line"] = line.map { .integer(PropertyListInteger($0)) }
        members["column"] = column.map { .integer(PropertyListInteger($0)) }
        return .dictionary(members)
    }
}

extension StoreError {
    fileprivate var isConflict: Bool { code == .conflict }
}

extension SettingsJournal.Snapshot {
    /// The entries of a key that have a value.
    func entries(of key: Defaults.AnyKey) -> TextDictionary<StoredValue> {
        key.entryNames.reduce(into: [:]) { $0[$1] = table[stored: $1] }
    }
}

extension Defaults.AnyKey {
    /// Whether readers of a store see other values of the key than those that were written to it.
    fileprivate func isHidden(in store: any PropertyListStore) -> Bool {
        let written = store.writtenStore
        guard written !== store else { return false }
        return entryNames.contains { name in
            guard let value = written.storedValue(forKey: name) else { return false }
            return store.storedValue(forKey: name) != value
        }
    }
}
