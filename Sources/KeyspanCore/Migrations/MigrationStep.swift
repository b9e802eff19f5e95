extension Defaults.Migration {
    /// One thing that a migration does.
    ///
    /// A step finds no value to work on if there is none, and then does nothing.
    public struct Step: Sendable {
        enum Action: Sendable {
            case edit(Change)
            case move(MigrationMove)
        }

        /// Changes values of a store, and adds what is to be reported when the change is made.
        typealias Change =
            @Sendable (inout PropertyListEdit, any PropertyListStore, inout [Defaults.Problem]) throws -> Void

        let action: Action

        /// Moves the value of an old name to a key, as it is stored.
        ///
        /// If the key has a value already, both stay as they are.
        public static func rename(_ oldName: String, to key: Defaults.AnyKey) -> Step {
            Step { edit, _, _ in
                let (old, new) = (key.renamed(oldName).entryNames, key.entryNames)
                // A direct bridge can have entries that do not depend on the key's name, which stay.
                let moved = zip(old, new).filter { !$0.hasSameUTF8(as: $1) }
                guard moved.allSatisfy({ edit[$0.1] == nil }) else { return }
                for (old, new) in moved {
                    guard let value = edit[old] else { continue }
                    // First, for stores that hold one of two names which are equal to Foundation.
                    edit[old] = nil
                    edit[new] = value
                }
            }
        }

        /// Moves the value of an old name in another store to a key of this one, as it is stored.
        ///
        /// The other store is one that can be written, because the original is removed there. Text of a store that has nothing
        /// else, such as environment variables, stays text and is converted no more.
        ///
        /// If the key has a value already, both stay as they are. The value is removed from the other store when this one
        /// has made it durable. If the program ends between the two, the next ``Defaults/migrate(_:)`` goes on there. What
        /// another program has written under the old name meanwhile is not removed.
        public static func move(
            _ oldName: String,
            from store: any PropertyListStore,
            to key: Defaults.AnyKey
        ) -> Step {
            Step(action: .move(MigrationMove(oldName: oldName, source: store.writtenStore, key: key)))
        }

        /// Makes a key's value of the one that another key reads, which can have the same name.
        ///
        /// A value that the old key cannot read is reported, and stays where it is. If the key has a value already that the
        /// old key does not read, both stay as they are, as for ``rename(_:to:)``. Where the two keys share a part of their
        /// entries, what else the new value replaces is kept, see ``Defaults/keptValues()``.
        ///
        /// - Parameters:
        ///   - key: The key that gets the value.
        ///   - oldKey: The key that reads the value; its entry is removed.
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

        /// Makes a stored value of the one that an entry has, without keys.
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

        /// Does anything else with the values.
        ///
        /// - Parameter change: Reads and writes the values; called again if another writer changes what it has read. An
        ///   error that it throws ends the migration.
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
