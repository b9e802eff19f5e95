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

    /// The change of one key.
    package struct Change: Sendable {
        /// The key.
        package let key: Defaults.AnyKey
        /// Its new content.
        package let content: Content
        /// The entries that the person saw.
        package let seen: TextDictionary<StoredValue>

        /// Makes a change.
        package init(of key: Defaults.AnyKey, to content: Content, insteadOf seen: TextDictionary<StoredValue>) {
            self.key = key
            self.content = content
            self.seen = seen
        }
    }

    /// A failed edit, of which nothing has happened unless the store's error is ``StoreError/Code/notDurable``.
    package enum CommitError: Error {
        /// These keys do not have the values that the person saw.
        case conflict([Defaults.AnyKey])
        /// These keys cannot have the values that the person entered.
        case invalid([(key: Defaults.AnyKey, reason: String)])
        /// The store refused the batch.
        case store(StoreError)
    }

    /// The changes, of each key at most one.
    package let changes: [Change]

    /// Makes an edit.
    package init(_ changes: [Change]) {
        self.changes = changes
    }

    /// Writes all changes in one batch, or throws and changes nothing; returns when they are durable.
    ///
    /// The store compares the values that the person saw at the instant of writing. Of several problems, all keys with a conflict are
    /// thrown, or else all keys with an invalid value.
    package func commit(to store: any PropertyListStore) async throws(CommitError) {
        try await store.edit { (edit) throws(CommitError) in
            try self.add(to: &edit, of: store)
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
}

extension SettingsEdit.Change {
    /// Whether the key has the entries that the person saw; the batch expects them from now on.
    fileprivate func isOfSeenValue(in edit: inout PropertyListEdit) -> Bool {
        var isSeen = true
        for name in key.entryNames where edit.storedValue(forKey: name) != seen[name] { isSeen = false }
        return isSeen
    }
}
