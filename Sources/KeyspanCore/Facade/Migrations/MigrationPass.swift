/// One attempt to bring a store to the latest version of a plan.
///
/// The store's durable state, such as a file under its lock, decides which migrations are pending; memory may lag behind
/// another process. The result is durable before the program continues, even if another process produced it.
struct MigrationPass {
    let plan: Defaults.MigrationPlan
    let store: any PropertyListStore

    /// Performs the pending migrations and finishes their moves.
    ///
    /// - Returns: Whether a migration or a move was pending.
    func run() throws(Defaults.MigrationError) -> Bool {
        if let version = plan.invalidVersion { throw error(version, Defaults.MigrationPlan.InvalidVersion()) }
        if plan.version == 0 { return false }
        let isMigrated = try migrate()
        let moves: [(move: NamedMove, copied: PropertyListDictionary)]
        do {
            moves = try unfinishedMoves()
        } catch {
            // This pass or an earlier one has reached the version.
            throw self.error(error.version, error.cause, .unsaved)
        }
        do {
            // Also for another process's migration: that process may have ended before it was durable.
            try store.synchronize()
            for (move, copied) in moves { try move.action.removeOriginals(copied) }
        } catch {
            throw self.error(nil, error, moves.isEmpty ? .unsaved : .moved)
        }
        try finish(moves)
        return isMigrated || !moves.isEmpty
    }

    /// Performs the pending migrations and records the version, in one batch.
    ///
    /// - Returns: Whether any were pending.
    private func migrate() throws(Defaults.MigrationError) -> Bool {
        let record = try record(in: store.value(forKey: MigrationRecord.entryName))
        guard record.version < plan.version else { return false }
        let problems: [Defaults.Problem]? = try edit { (edit) throws(Defaults.MigrationError) in try migrate(&edit) }
        // Only now, because the edit may have run several times.
        for problem in problems ?? [] { problem.report() }
        return problems != nil
    }

    /// - Returns: The values that could not be read; `nil` if no migration was pending.
    private func migrate(_ edit: inout PropertyListEdit) throws(Defaults.MigrationError) -> [Defaults.Problem]? {
        var record = try record(in: edit[MigrationRecord.entryName])
        // Another thread or process may have migrated since the first check.
        guard record.version < plan.version else { return nil }
        var problems: [Defaults.Problem] = []
        for step in plan.steps where step.version > record.version {
            do {
                switch step.action {
                case .edit(let change): try change(&edit, store, &problems)
                case .move(let move):
                    let copied = try move.copy(into: &edit)
                    if !copied.isEmpty { record.note(copied, ofMove: step.name) }
                }
                try edit.checkNames(in: store.name)
            } catch {
                throw self.error(step.version, error)
            }
        }
        record.version = plan.version
        edit.record(record.stored, in: MigrationRecord.entryName)
        return problems
    }

    /// A move of the plan with its name in the record.
    private typealias NamedMove = (name: String, action: MigrationMove)

    /// The moves of the plan whose originals may still exist, with the copied entries.
    ///
    /// Moves that only a newer program knows are left to that program.
    private func unfinishedMoves() throws(Defaults.MigrationError) -> [(
        move: NamedMove, copied: PropertyListDictionary
    )] {
        if try moves(in: store.value(forKey: MigrationRecord.entryName)).isEmpty { return [] }
        return try edit { (edit) throws(Defaults.MigrationError) in
            let stored = edit[MigrationRecord.entryName]
            // Written unchanged, so that the store compares it: another process may have finished the moves.
            edit.record(stored, in: MigrationRecord.entryName)
            return try moves(in: stored)
        }
    }

    private func moves(
        in stored: PropertyListValue?
    ) throws(Defaults.MigrationError) -> [(move: NamedMove, copied: PropertyListDictionary)] {
        let record = try record(in: stored)
        return plan.steps.compactMap { step in
            guard case .move(let move) = step.action, let copied = record.unfinishedMove(named: step.name) else {
                return nil
            }
            return ((step.name, move), copied)
        }
    }

    /// Records that the originals are removed.
    private func finish(
        _ moves: [(move: NamedMove, copied: PropertyListDictionary)]
    ) throws(Defaults.MigrationError) {
        if moves.isEmpty { return }
        do {
            try edit { (edit) throws(Defaults.MigrationError) in
                let stored = edit[MigrationRecord.entryName]
                var record = try record(in: stored)
                for (move, copied) in moves { record.finish(copied, ofMove: move.name) }
                if record.stored != stored { edit.record(record.stored, in: MigrationRecord.entryName) }
            }
        } catch {
            throw self.error(nil, error.cause, .moved)
        }
    }

    private func edit<Result>(
        _ change: (inout PropertyListEdit) throws(Defaults.MigrationError) -> Result
    ) throws(Defaults.MigrationError) -> Result {
        try store.edit(decidedDurably: true, change, storeFailure: { error(nil, $0) })
    }

    private func record(in stored: PropertyListValue?) throws(Defaults.MigrationError) -> MigrationRecord {
        do {
            return try MigrationRecord(ofPlan: plan.name, in: stored)
        } catch {
            let name = MigrationRecord.entryName
            throw self.error(nil, Defaults.ReadError(key: name, store: store.name, provenance: nil, cause: error))
        }
    }

    private func error(
        _ version: Int?,
        _ cause: any Error,
        _ progress: Defaults.MigrationError.Progress = .none
    ) -> Defaults.MigrationError {
        Defaults.MigrationError(
            plan: plan.name,
            version: version,
            store: store.name,
            progress: progress,
            cause: cause
        )
    }
}

/// The move of a value from another store to a key of the migrated one.
struct MigrationMove: Sendable {
    let oldName: String
    let source: any PropertyListStore
    let key: Defaults.AnyKey

    /// Copies the entries from the other store into the edit.
    ///
    /// - Returns: The copied entries, by their names in the other store.
    func copy(into edit: inout PropertyListEdit) throws(StoreError) -> PropertyListDictionary {
        let (old, new) = (key.renamed(oldName).entryNames, key.entryNames)
        try LibraryEntries.check(old, in: source.name)
        guard new.allSatisfy({ edit[$0] == nil }) else { return [:] }
        let originals = originals(of: old)
        var copied: PropertyListDictionary = [:]
        for (old, new) in zip(old, new) {
            guard let value = originals[old] else { continue }
            edit[new] = value
            copied[old] = value
        }
        return copied
    }

    /// The values in the other store's durable state.
    ///
    /// Absence is checked as well, because the move is not attempted again.
    private func originals(of names: [String]) -> PropertyListTable {
        var retries = ConflictRetries()
        while true {
            let (revision, table) = (source.revision, source.snapshot())
            // Spares an empty store a lock beside a file that does not exist.
            if table.isEmpty { return table }
            var batch = PropertyListBatch()
            batch.arbiter = .durableState
            for name in names { batch.expect(table[name], forKey: name) }
            do {
                try source.apply(batch)
                return table
            } catch {
                // A store that cannot be written cannot compare; its memory is the best source.
                guard error.isRepeatable, !retries.areExhausted(at: revision, expecting: batch.expectations) else {
                    return table
                }
            }
        }
    }

    /// Removes the copied entries from the other store, unless they were changed there.
    func removeOriginals(_ copied: PropertyListDictionary) throws(StoreError) {
        try source.edit(
            decidedDurably: true,
            { (edit) throws(StoreError) in
                for (name, value) in copied where edit[name] == value {
                    edit[name] = nil
                }
            },
            storeFailure: { $0 }
        )
        try source.synchronize()
    }
}
