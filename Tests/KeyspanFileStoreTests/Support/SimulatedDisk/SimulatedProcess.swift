/// A process on a simulated machine.
struct SimulatedProcess {
    /// The number of a process; 0 is that of the one that the machine starts with.
    typealias ID = Int32

    /// The call in whose place it is killed, counted from 1; `nil` if it is not killed.
    let fatalCall: Int?
    /// The calls that it made, for people.
    var calls: [String] = []
    /// Whether it was killed.
    var isDead = false
}

/// The processes of a machine.
extension SimulatedMachine {
    /// Starts a process.
    mutating func startProcess(killedAtCall number: Int?) -> SimulatedProcess.ID {
        let id = (processes.keys.max() ?? 0) + 1
        processes[id] = SimulatedProcess(fatalCall: number)
        return id
    }

    /// Lets a process make a call, or kills it.
    mutating func beginCall(_ call: String, of id: SimulatedProcess.ID) throws(ErrorNumber) {
        runningProcess = id
        passTime(properties.callDuration)
        guard var process = processes[id] else { return }
        if process.isDead { throw ErrorNumber(EIO) }
        process.calls.append(call)
        process.isDead = process.calls.count == process.fatalCall
        processes[id] = process
        guard process.isDead else { return }
        for (descriptor, description) in descriptions where description.process == id { try close(descriptor) }
        throw ErrorNumber(EIO)
    }
}
