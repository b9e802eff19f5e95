extension SimulatedMachine {
    /// The disk when the power fails now: everything durable, and the chosen part of the rest.
    ///
    /// Names of one folder survive in their order, up to a chosen one, or each by itself if the disk reorders them; those
    /// of two folders, and the contents of files, are independent of each other.
    func volumeAfterPowerLoss(_ choices: inout some CrashChoices) -> SimulatedVolume {
        var volume = durable
        for change in remainingNames(&choices) { volume.apply(change) }
        volume.removeUnreachable()
        // Nobody will see what happens to files without a name, so there is nothing to choose.
        for change in pending where change.names == nil && volume[change.node] != nil {
            for remains in change.remains(&choices) { volume.apply(remains) }
        }
        return volume
    }

    private func remainingNames(_ choices: inout some CrashChoices) -> [SimulatedChange] {
        let changes = pending.filter { $0.names != nil }
        if properties.reordersNames { return changes.flatMap { $0.remains(&choices) } }
        let ofFolders = Dictionary(grouping: changes, by: \.node).sorted { $0.key < $1.key }
        return ofFolders.flatMap { $0.value.dropLast(choices.outcome(of: $0.value.count + 1)) }
    }
}
