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
        case (""?, nil, nil) where key.isSecret:
            // Nobody would see that the secret is gone.
            return flaws.append(Self.flaw(of: name, "A secret cannot be an empty text here; reset it to remove it."))
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
        let (journal, keys) = (view.journal, submitted.map(\.key))
        let outdated = submitted.filter { $0.version != view.snapshot.version(of: $0.key) }.map(\.key)
        if !outdated.isEmpty { return Self.conflict(of: outdated, in: view) }
        if !flaws.isEmpty { return .json(422, ["errors": .array(flaws)]) }
        let before = view.snapshot.entries(of: keys)
        let edit = SettingsEdit(submitted.map { .init(of: $0.key, to: $0.content, insteadOf: before) })
        var after = before
        let submission = journal.begin(by: view.access.person)
        do throws(SettingsEdit.CommitError) {
            try await edit.commit(to: journal.store) { entries in
                after = entries
                journal.expect(entries, insteadOf: before, of: submission)
            }
        } catch {
            if case .store(let error) = error, error.code.effect != .none {
                return await response(in: view, before: before, after: after, failure: error)
            }
            journal.end(submission)
            return Self.refusal(for: error, of: keys, in: view.renewed)
        }
        if after.hasSameValues(as: before) { journal.end(submission) }
        return await response(in: view, before: before, after: after, failure: nil)
    }

    /// The answer to changes that have happened, or may have.
    ///
    /// - Parameters:
    ///   - view: The view of the person before.
    ///   - before: The entries before the changes.
    ///   - after: The entries that the changes lead to.
    ///   - failure: The error of the store, if there was one.
    private func response(
        in view: SettingsView,
        before: SettingsEdit.Entries,
        after: SettingsEdit.Entries,
        failure: StoreError?
    ) async -> SettingsConsole.Response {
        let (journal, keys) = (view.journal, submitted.map(\.key))
        view.options.onEdit?(edit(by: view.access.person, failure))
        // Another thread may be about to deliver the change.
        for _ in 0..<100 where failure == nil && !journal.has(after, of: keys) {
            try? await Task.sleep(for: .milliseconds(5))
        }
        var members = SettingsUpdate(of: keys, in: view.renewed).members
        var warnings: [String] = []
        if let failure {
            let state = failure.code.effect == .unknown ? "may have been made" : "is in effect, but not saved for sure"
            warnings.append("The change \(state): \(failure.reason); \(failure.remedy).")
        }
        let hidden = keys.filter { key in
            key.entryNames.contains { name in
                journal.store.hidesWrites(ofKey: name)
                    || journal.store.hidesWrite(ofKey: name, from: before.written[name], to: after.written[name])
            }
        }.map(\.name)
        if !hidden.isEmpty {
            let names = hidden.joined(separator: ", ")
            warnings.append("Saved, but a layer above decides the value that the program reads: \(names).")
        }
        members["warnings"] = .array(warnings.map { .string($0) })
        return .json(200, members)
    }

    private func edit(by person: String?, _ failure: StoreError?) -> SettingsConsole.Edit {
        SettingsConsole.Edit(
            person: person,
            changes: submitted.map { change in
                if case .none = change.content { return .init(key: change.key.name, kind: .reset) }
                return .init(key: change.key.name, kind: .set)
            },
            outcome: failure.map { $0.code.effect == .unknown ? .unknown : .notDurable } ?? .saved
        )
    }

    /// The answer to changes that have not happened.
    private static func refusal(
        for error: SettingsEdit.CommitError,
        of keys: [Defaults.AnyKey],
        in view: SettingsView
    ) -> SettingsConsole.Response {
        switch error {
        case .conflict(let keys): return conflict(of: keys, in: view)
        case .invalid(let problems):
            return .json(422, ["errors": .array(problems.map { flaw(of: $0.key.name, $0.reason) })])
        case .store(let error) where error.isRepeatable:
            let named = keys.filter { key in
                error.key.map { name in key.entryNames.contains { $0.hasSameUTF8(as: name) } } ?? true
            }
            return conflict(of: named.isEmpty ? keys : named, in: view)
        case .store(let error):
            return .json(503, ["message": .string("Nothing was changed: \(error.reason); \(error.remedy).")])
        }
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
        var members: PropertyListDictionary = ["key": .string(name.percentEncoded), "message": .string(sentence)]
        members["line"] = line.map { .integer(PropertyListInteger($0)) }
        members["column"] = column.map { .integer(PropertyListInteger($0)) }
        return .dictionary(members)
    }
}

extension SettingsEdit.Entries {
    /// Whether an edit that leads from one to the other changes nothing.
    fileprivate func hasSameValues(as other: SettingsEdit.Entries) -> Bool {
        Self.areSame(read, other.read) && Self.areSame(written, other.written)
    }

    private static func areSame(_ left: TextDictionary<StoredValue>, _ right: TextDictionary<StoredValue>) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }
}
