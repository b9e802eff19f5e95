extension Defaults.Migration {
    /// One step of a migration.
    ///
    /// A step whose value is absent does nothing.
    public struct Step: Sendable {
        enum Action: Sendable {
            case edit(Change)
            case move(MigrationMove)
        }

        /// Changes values of a store, and collects problems to report after the change is applied.
        typealias Change =
            @Sendable (inout PropertyListEdit, any PropertyListStore, inout [Defaults.Problem]) throws -> Void

        let action: Action

        /// Moves the stored value of an old name to a key, unchanged.
        ///
        /// If the key already has a value, both stay as they are.
        public static func rename(_ oldName: String, to key: Defaults.AnyKey) -> Step {
            Step { edit, _, _ in
                let (old, new) = (key.renamed(oldName).entryNames, key.entryNames)
                // A direct bridge may have entries whose names do not depend on the key's; these stay.
                let moved = zip(old, new).filter { !$0.hasSameUTF8(as: $1) }
                guard moved.allSatisfy({ edit[$0.1] == nil }) else { return }
                for (old, new) in moved {
                    guard let value = edit[old] else { continue }
                    // Removed first, for stores that cannot hold two names that are equal to Foundation.
                    edit[old] = nil
                    edit[new] = value
                }
            }
        }

        /// Moves the stored value of an old name in another store to a key of this one, unchanged.
        ///
        /// The other store must be writable, because the original is removed there. Text from a store that holds only text, such
        /// as environment variables, stays text and is no longer converted.
        ///
        /// If the key already has a value, both stay as they are. The original is removed once this store has made the copy
        /// durable. If the program ends in between, the next ``Defaults/migrate(_:)`` removes it, unless another program has
        /// written a different value under the old name.
        public static func move(
            _ oldName: String,
            from store: any PropertyListStore,
            to key: Defaults.AnyKey
        ) -> Step {
            Step(action: .move(MigrationMove(oldName: oldName, source: store.writtenStore, key: key)))
        }

        /// Makes a key's value from the value of another key, which may have the same name.
        ///
        /// A value that the old key cannot use is reported and stays where it is. If the key already has a value in other
        /// entries, both stay as they are, as for ``rename(_:to:)``. If the keys share only some of their entries, a value that
        /// the new one replaces in the others is kept, see ``Defaults/keptValues()``.
        ///
        /// - Parameters:
        ///   - key: The key that receives the value.
        ///   - oldKey: The key that reads the value; its entries are removed.
        ///   - transform: Makes the new value; `nil` for none. An error that it throws ends the migration.
        public static func transform<Old, New>(
            _ key: Defaults.Key<New>,
            from oldKey: Defaults.Key<Old>,
            _ transform: @escaping @Sendable (Old) throws -> New?
        ) -> Step {
            Step { edit, store, problems in
                let others = key.entryNames.filter { name in !oldKey.entryNames.contains { $0.hasSameUTF8(as: name) } }
                let hasOthers = others.contains { edit[$0] != nil }
                if hasOthers, others.count == key.entryNames.count { return }
                let old: Old
                do {
                    let stored = oldKey.coding.stored(under: oldKey.name, in: &edit)
                    guard let value = try oldKey.strictValue(of: stored, in: store) else { return }
                    old = value
                } catch let error as Defaults.ReadError {
                    problems.append(.unreadable(error))
                    return
                }
                let new = try transform(old)
                for entry in oldKey.entryNames {
                    edit[entry] = nil
                }
                guard let new else { return }
                if hasOthers { KeptValues.keep(key.entryNames, ofKey: key.name, in: &edit) }
                do throws(Defaults.WriteError.Cause) {
                    try key.write(new, into: &edit)
                } catch {
                    throw Defaults.WriteError(key: key.name, store: store.name, cause: error)
                }
            }
        }

        /// Transforms the stored value of an entry, without keys.
        ///
        /// - Parameters:
        ///   - name: The entry.
        ///   - transform: Makes the new value; `nil` removes the entry. An error that it throws ends the migration.
        public static func transform(
            _ name: String,
            _ transform: @escaping @Sendable (PropertyListValue) throws -> PropertyListValue?
        ) -> Step {
            Step { edit, _, _ in
                guard let value = edit[name] else { return }
                edit[name] = try transform(value)
            }
        }

        /// Removes an entry.
        public static func remove(_ name: String) -> Step {
            Step { edit, _, _ in
                if edit[name] != nil { edit[name] = nil }
            }
        }

        /// Performs any other change of the values.
        ///
        /// - Parameter change: Reads and writes the values. It is called again if another writer changes a value that it has
        ///   read. An error that it throws ends the migration.
        public static func edit(_ change: @escaping @Sendable (inout PropertyListEdit) throws -> Void) -> Step {
            Step { edit, _, _ in try change(&edit) }
        }

        private init(_ change: @escaping Change) {
            action = .edit(change)
        }

        private init(action: Action) {
            self.action = action
        }
    }
}
