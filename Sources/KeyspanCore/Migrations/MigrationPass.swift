/// One attempt to bring a store to the latest version of a plan.
///
/// What is done is decided by what the store has for good, such as a file under its lock, not by a memory that may be behind
/// another process. Whoever did it, it is durable before the program goes on.
struct MigrationPass {
    let plan: Defaults.MigrationPlan
    let store: any PropertyListStore

    /// Does the migrations that are not done yet, and finishes their moves.
    ///
    /// - Returns: Whether there was something to do.
    func run() throws(Defaults.MigrationError) -> Bool {
        if plan.version == 0 { return false }
        let isMigrated = try migrate()
        let moves: [(move: NamedMove, copied: PropertyListDictionary)]
        do {
            moves = try unfinishedMoves()
        } catch {
            // The version is reached, by this pass or before it.
            throw self.error(error.version, error.cause, .unsaved)
        }
        do {
            // Also for what another process has done: it may have ended before it was durable.
            try store.synchronize()
            for (move, copied) in moves { try move.action.removeOriginals(copied) }
        } catch {
            throw self.error(nil, error, moves.isEmpty ? .unsaved : .moved)
        }
        try finish(moves)
        return isMigrated || !moves.isEmpty
    }

    /// Does the migrations that are not done yet, and records the version, in one batch.
    ///
    /// - Returns: Whether there were any.
    private func migrate() throws(Defaults.MigrationError) -> Bool {
        let record = try record(in: store.value(forKey: MigrationRecord.entryName))
        guard record.version < plan.version else { return false }
        let problems: [Defaults.Problem]? = try edit { (edit) throws(Defaults.MigrationError) in try migrate(&edit) }
        // Only now: the edit may have been made several times.
        for problem in problems ?? [] { problem.report() }
        return problems != nil
    }

    /// - Returns: What could not be read; `nil` if there was nothing to do.
    private func migrate(_ edit: inout PropertyListEdit) throws(Defaults.MigrationError) -> [Defaults.Problem]? {
        var record = try record(in: edit[MigrationRecord.entryName])
        // Another thread or process can have been here since the first look.
        guard record.version < plan.version else { return nil }
        var problems: [Defaults.Problem] = []
        for step in plan.steps where step.version > record.version {
            switch step.action {
            case .edit(let change):
                do {
                    try change(&edit, store, &problems)
                } catch {
                    throw self.error(step.version, error)
                }
            case .move(let move):
                let copied = move.copy(into: &edit)
                if !copied.isEmpty { record.note(copied, ofMove: step.name) }
            }
        }
        record.version = plan.version
        edit[MigrationRecord.entryName] = record.stored
        return problems
    }

    /// A move of the plan, with the name that the record has for it.
    private typealias NamedMove = (name: String, action: MigrationMove)

    /// The moves of the plan whose originals may still be there, with what was copied.
    ///
    /// Those that only a newer program knows are left to it.
    private func unfinishedMoves() throws(Defaults.MigrationError) -> [(
        move: NamedMove, copied: PropertyListDictionary
    )] {
        if try moves(in: store.value(forKey: MigrationRecord.entryName)).isEmpty { return [] }
        return try edit { (edit) throws(Defaults.MigrationError) in
            let stored = edit[MigrationRecord.entryName]
            // Written as it is, so that the store compares it: another process may have finished the moves.
            edit[MigrationRecord.entryName] = stored
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
                if record.stored != stored { edit[MigrationRecord.entryName] = record.stored }
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
