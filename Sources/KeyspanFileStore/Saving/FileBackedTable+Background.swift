import KeyspanCore

extension FileBackedTable {
    /// Does one kind of work now, and reports a failure instead of throwing it; tries again later.
    package func run(_ work: BackgroundWork) {
        do {
            switch work {
            case .save: try saveUnsaved()
            case .fold: try foldUnfolded()
            case .refresh: try refresh()
            }
        } catch {
            let (retry, isNews) = schedules.withLock { $0[work].saveDidFail(error) }
            start(retry, work)
            if isNews { report(work == .refresh ? .notice(.unreadable(error)) : .failure(error)) }
        }
    }

    /// The file may have been changed by others; arranges that it is looked at.
    package func fileMayHaveChanged() {
        start(schedules.withLock { $0.fileMayHaveChanged() }, .refresh)
    }

    /// Arranges a save if something is unsaved.
    func arrangeSave() {
        guard settings.options.durability == .grouped else { return }
        let generation = ledger.withLock { $0.generation }
        start(schedules.withLock { $0[.save].tableDidChange(to: generation) }, .save)
    }

    /// Arranges a fold if something is unfolded: at once if the journal is large.
    func arrangeFold() {
        file.withLock { arrangeFold(of: $0) }
    }

    /// Arranges a fold of the file, which the calling thread holds, if something is unfolded.
    func arrangeFold(of file: borrowing SharedFile) {
        guard file.canFold else { return }
        let isUrgent = file.isFoldUrgent
        start(schedules.withLock { $0.fileHasUnfolded(isUrgent: isUrgent) }, .fold)
    }

    /// Sets a timer that a schedule asks for.
    func start(_ timer: SaveSchedule.Timer?, _ work: BackgroundWork) {
        guard let timer else { return }
        // Weak, so that a pending timer does not keep a table alive that nobody uses any more.
        self.timer.schedule(after: timer.delay) { [weak self] in
            guard let self, schedules.withLock({ $0[work].timerDidFire(timer.ticket) }) else { return }
            run(work)
        }
    }
}
