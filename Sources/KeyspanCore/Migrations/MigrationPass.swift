/// One attempt to bring a store to the latest version of a plan.
struct MigrationPass {
    let plan: Defaults.MigrationPlan
    let store: any PropertyListStore

    /// Does the migrations that are not done yet, and records the version, in one batch.
    ///
    /// - Returns: Whether there were any.
    func migrate() throws(Defaults.MigrationError) -> Bool {
        guard record(in: store.value(forKey: MigrationRecord.entryName)).version < plan.version else { return false }
        return try store.edit(
            { (edit) throws(Defaults.MigrationError) in try migrate(&edit) },
            storeFailure: { error(nil, $0) }
        )
    }

    /// Removes the originals of values that were moved from other stores, once the copies are durable.
    ///
    /// - Returns: Whether there were any.
    func finishMoves() throws(Defaults.MigrationError) -> Bool {
        let unfinished = record(in: store.value(forKey: MigrationRecord.entryName)).unfinishedMoves
        guard !unfinished.isEmpty else { return false }
        do {
            try store.synchronize()
            for (name, move) in plan.moves {
                if let copied = unfinished[name] { try move.removeOriginals(copied) }
            }
            try store.edit { edit in
                let stored = edit[MigrationRecord.entryName]
                var record = record(in: stored)
                record.unfinishedMoves = [:]
                edit[MigrationRecord.entryName] = record.stored(ofPlan: plan.name, among: stored)
            }
        } catch {
            throw self.error(nil, error, isMoved: true)
        }
        return true
    }

    private func migrate(_ edit: inout PropertyListEdit) throws(Defaults.MigrationError) -> Bool {
        let stored = edit[MigrationRecord.entryName]
        var record = record(in: stored)
        // Another thread or process can have been here since the first look.
        guard record.version < plan.version else { return false }
        for migration in plan.migrations where migration.version > record.version {
            for (index, step) in migration.steps.enumerated() {
                switch step.action {
                case .edit(let change):
                    do {
                        try change(&edit, store)
                    } catch {
                        throw self.error(migration.version, error)
                    }
                case .move(let move):
                    let copied = move.copy(into: &edit)
                    if !copied.isEmpty { record.unfinishedMoves[migration.nameOfMove(at: index)] = copied }
                }
            }
        }
        record.version = plan.version
        edit[MigrationRecord.entryName] = record.stored(ofPlan: plan.name, among: stored)
        return true
    }

    private func record(in stored: PropertyListValue?) -> MigrationRecord {
        MigrationRecord(ofPlan: plan.name, in: stored)
    }

    private func error(_ version: Int?, _ cause: any Error, isMoved: Bool = false) -> Defaults.MigrationError {
        Defaults.MigrationError(plan: plan.name, version: version, store: store.name, isMoved: isMoved, cause: cause)
    }
}

extension Defaults.Migration {
    /// The name under which the record has a move that is not finished: shipped migrations do not change.
    fileprivate func nameOfMove(at index: Int) -> String { "\(version).\(index)" }
}

extension Defaults.MigrationPlan {
    /// All moves from other stores by their names.
    fileprivate var moves: [(name: String, move: MigrationMove)] {
        migrations.flatMap { migration in
            migration.steps.enumerated().compactMap { index, step in
                if case .move(let move) = step.action { (migration.nameOfMove(at: index), move) } else { nil }
            }
        }
    }
}
