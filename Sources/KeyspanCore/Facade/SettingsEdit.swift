/// Changes that a person makes to settings while looking at values that others may change meanwhile.
///
/// An editor of settings knows keys without the types of their values: it gives each key the text or the value that the person entered.
package struct SettingsEdit: Sendable {
    /// The new content of a key.
    package enum Content: Sendable {
        /// No value, so that the key has its default again.
        case none
        /// A value, or text that stands for one.
        case given(StoredValue)
    }

    /// Entries as they are, or will be.
    package struct Entries: Sendable {
        /// The values that readers see.
        package var read: TextDictionary<StoredValue> = [:]
        /// The values that the written store has; the same unless it is one of several layers.
        package var written: TextDictionary<StoredValue> = [:]

        /// Makes a state without values.
        package init() {}
    }

    /// The change of one key.
    package struct Change: Sendable {
        /// The key.
        package let key: Defaults.AnyKey
        /// Its new content.
        package let content: Content
        /// The entries that the person saw.
        package let seen: Entries

        /// Makes a change.
        package init(of key: Defaults.AnyKey, to content: Content, insteadOf seen: Entries) {
            self.key = key
            self.content = content
            self.seen = seen
        }
    }

    /// A failed edit.
    package enum CommitError: Error {
        /// These keys do not have the values that the person saw.
        case conflict([Defaults.AnyKey])
        /// These keys cannot have the values that the person entered.
        case invalid([(key: Defaults.AnyKey, reason: String)])
        /// The store failed; its code says whether the batch happened.
        case store(StoreError)
    }

    /// The changes, of each key at most one.
    package let changes: [Change]

    /// Makes an edit.
    package init(_ changes: [Change]) {
        self.changes = changes
    }

    /// Writes all changes in one batch, or throws; returns when they are durable.
    ///
    /// The store compares the values that the person saw at the instant of writing. Of several problems, all keys with a conflict are
    /// thrown, or else all keys with an invalid value.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - note: Called before each attempt to write, with the entries of the keys after it.
    package func commit(
        to store: any PropertyListStore,
        noting note: (Entries) -> Void
    ) async throws(CommitError) {
        try await store.edit { (edit) throws(CommitError) in
            try self.add(to: &edit, of: store)
            note(self.entries(after: &edit, of: store))
        } storeFailure: {
            .store($0)
        }
    }

    private func add(to edit: inout PropertyListEdit, of store: any PropertyListStore) throws(CommitError) {
        let conflicts = changes.filter { !$0.isOfSeenValue(in: &edit) }
        if !conflicts.isEmpty { throw .conflict(conflicts.map(\.key)) }
        var invalid: [(key: Defaults.AnyKey, reason: String)] = []
        for change in changes {
            do throws(InvalidGivenValue) {
                switch change.content {
                case .none: change.key.remove(from: &edit)
                case .given(let stored): try change.key.write(stored, into: &edit, of: store)
                }
            } catch {
                invalid.append((change.key, error.reason))
            }
        }
        if !invalid.isEmpty { throw .invalid(invalid) }
    }

    private func entries(after edit: inout PropertyListEdit, of store: any PropertyListStore) -> Entries {
        var entries = Entries()
        for name in changes.flatMap(\.key.entryNames) {
            let written = edit.replacedValue(forKey: name)
            entries.written[name] = written
            entries.read[name] = store.visibleValue(ofKey: name, written: written)
        }
        return entries
    }
}

extension SettingsEdit.Change {
    /// Whether the key has the entries that the person saw; the batch expects them from now on.
    fileprivate func isOfSeenValue(in edit: inout PropertyListEdit) -> Bool {
        var isSeen = true
        for name in key.entryNames {
            if edit.storedValue(forKey: name) != seen.read[name] { isSeen = false }
            // The written value decides nothing that readers see, but is replaced.
            if edit.replacedValue(forKey: name)?.value != seen.written[name]?.value { isSeen = false }
        }
        return isSeen
    }
}
