#if Console
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// The changes that a page sends, as JSON: `{"changes": [{"key": "title", "version": "6f.12", "text": "Shopping"}]}`.
///
/// In place of `text`, which is converted as a variable would be, a change has `json`, which is a text of JSON, or `reset`.
struct SubmittedChanges {
    private typealias Outcome = SettingsConsole.AuditEvent.Outcome

    /// One change, as far as it is understood.
    private struct Submitted {
        let key: Defaults.AnyKey
        var version: SettingsVersion?
        let content: SettingsEdit.Content
    }

    /// A body that no page sends.
    struct Malformed: Error {
        let sentence: String
    }

    private let request: SettingsConsole.Request
    private var submitted: [Submitted] = []
    /// The changes of keys that the person may not change.
    private var denied: [SettingsConsole.AuditEvent.Change] = []
    /// The changes whose content is refused before the store is asked.
    private var invalid: [Submitted] = []
    /// The problems of single keys, as members of the response.
    private var flaws: [PropertyListValue] = []

    /// Reads the changes of a body.
    ///
    /// - Parameters:
    ///   - body: The JSON.
    ///   - request: The request, for the audit trail.
    ///   - view: The view of the person, who may edit.
    init(_ body: [UInt8], by request: SettingsConsole.Request, in view: SettingsView) throws(Malformed) {
        self.request = request
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
        guard let key = view.key(named: name), view.access.canEdit(key) else {
            let isKnown = view.key(named: name) != nil
            flaws.append(Self.flaw(of: name, isKnown ? "You may not change this key." : "There is no such key."))
            let kind: SettingsConsole.AuditEvent.Kind = members["reset"] == nil ? .set : .reset
            return denied.append(.init(key: name, kind: kind, outcome: .denied, old: nil, new: nil))
        }
        let content: SettingsEdit.Content
        switch (members["text"]?.stringValue, members["json"]?.stringValue, members["reset"]?.booleanValue) {
        case (let text?, nil, nil):
            content = .given(StoredValue(.string(text), isText: true))
            if text.isEmpty, key.isSecret {
                // Nobody would see that the secret is gone.
                let sentence = "A secret cannot be an empty text here; reset it to remove it."
                flaws.append(Self.flaw(of: name, sentence))
                return invalid.append(Submitted(key: key, content: content))
            }
        case (nil, let text?, nil):
            do {
                content = .given(StoredValue(try JSONText.parse(Array(text.utf8))))
            } catch {
                let sentence = key.isSecret ? "The text is not JSON." : "The text is not JSON: \(error)"
                flaws.append(Self.flaw(of: name, sentence, line: error.line, column: error.column))
                return invalid.append(Submitted(key: key, content: .given(StoredValue(.string(text)))))
            }
        case (nil, nil, true): content = .none
        default: throw Malformed(sentence: "A change needs one of text, json and reset.")
        }
        let version = members["version"]?.stringValue.flatMap(SettingsVersion.init)
        submitted.append(Submitted(key: key, version: version, content: content))
    }

    /// Applies the changes, reports what became of each, and answers the page.
    ///
    /// - Parameter view: The view of the person, who may edit.
    func response(in view: SettingsView) async -> SettingsConsole.Response {
        let view = view.renewed
        let (journal, keys) = (view.journal, submitted.map(\.key))
        let outdated = submitted.filter { $0.version != view.snapshot.version(of: $0.key) }.map(\.key)
        if !outdated.isEmpty { return conflict(of: outdated, in: view) }
        if !flaws.isEmpty {
            report(in: view) { _ in .skipped }
            return .json(422, ["errors": .array(flaws)])
        }
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
            return refusal(for: error, in: view.renewed)
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
        let outcome = failure.map { $0.code.effect == .unknown ? Outcome.unknown : .notDurable } ?? .saved
        report(in: view, after: after) { key in
            key.entryNames.allSatisfy { before.written[$0] == after.written[$0] } ? .unchanged : outcome
        }
        // Another thread may be about to deliver the change.
        for _ in 0..<100 where failure == nil && !journal.has(after, of: keys) {
            try? await Task.sleep(for: .milliseconds(5))
        }
        var members = SettingsUpdate(of: keys, in: view.renewed).members
        var warnings: [String] = []
        if let failure {
            let state = outcome == .unknown ? "may have been made" : "is in effect, but not saved for sure"
            warnings.append("The change \(state): \(failure.reason); \(failure.remedy).")
        }
        let hidden = keys.filter { key in
            key.entryNames.contains { name in
                journal.store.hidesWrites(ofKey: name)
                    || journal.store.coversWrites(ofKey: name)
                        && journal.store.hidesWrite(ofKey: name, from: before.written[name], to: after.written[name])
            }
        }.map(\.name)
        if !hidden.isEmpty {
            let names = hidden.joined(separator: ", ")
            warnings.append("Saved, but a layer above decides the value that the program reads: \(names).")
        }
        members["warnings"] = .array(warnings.map { .string($0) })
        return .json(200, members)
    }

    /// The answer to changes that have not happened.
    private func refusal(for error: SettingsEdit.CommitError, in view: SettingsView) -> SettingsConsole.Response {
        switch error {
        case .conflict(let keys): return conflict(of: keys, in: view)
        case .invalid(let problems):
            report(.invalid, of: problems.map(\.key), in: view)
            return .json(422, ["errors": .array(problems.map { Self.flaw(of: $0.key.name, $0.reason) })])
        case .store(let error) where error.isRepeatable:
            let keys = submitted.map(\.key)
            let named = keys.filter { key in
                error.key.map { name in key.entryNames.contains { $0.hasSameUTF8(as: name) } } ?? true
            }
            return conflict(of: named.isEmpty ? keys : named, in: view)
        case .store(let error):
            report(in: view) { _ in .failed }
            return .json(503, ["message": .string("Nothing was changed: \(error.reason); \(error.remedy).")])
        }
    }

    private func conflict(of keys: [Defaults.AnyKey], in view: SettingsView) -> SettingsConsole.Response {
        report(.conflict, of: keys, in: view)
        return .json(409, SettingsUpdate(of: keys, in: view).members)
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

// MARK: - The audit trail

extension SubmittedChanges {
    /// Reports changes that were not made, because some keys have an outcome that lets the others not be made either.
    private func report(_ outcome: Outcome, of keys: [Defaults.AnyKey], in view: SettingsView) {
        report(in: view) { key in keys.contains { $0 === key } ? outcome : .skipped }
    }

    /// Reports the outcome of all changes.
    ///
    /// - Parameters:
    ///   - view: The view of the person before the changes.
    ///   - after: The entries that the changes lead to; `nil` if they were not made.
    ///   - outcome: The outcome of those changes that the person may make, and whose content is a value.
    private func report(
        in view: SettingsView,
        after: SettingsEdit.Entries? = nil,
        _ outcome: (Defaults.AnyKey) -> Outcome
    ) {
        view.options.audit(
            request,
            by: view.access.person,
            changes: denied + invalid.map { Self.reported($0, .invalid, in: view) }
                + submitted.map { Self.reported($0, outcome($0.key), in: view, after: after) }
        )
    }

    private static func reported(
        _ change: Submitted,
        _ outcome: Outcome,
        in view: SettingsView,
        after: SettingsEdit.Entries? = nil
    ) -> SettingsConsole.AuditEvent.Change {
        let key = change.key
        var (kind, new) = (SettingsConsole.AuditEvent.Kind.reset, nil as String?)
        if case .given(let given) = change.content { (kind, new) = (.set, ValueDigest.text(of: given.value)) }
        if let after { new = ValueDigest.text(of: key, in: after.written) }
        let old = ValueDigest.text(of: key, in: view.snapshot.entries(of: [key]).written)
        // By its digest, a secret could be found without replacing it.
        return .init(
            key: key.name,
            kind: kind,
            outcome: outcome,
            old: key.isSecret ? nil : old,
            new: key.isSecret ? nil : new
        )
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
#endif
