import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting

/// A disk in memory, which loses what a real one may lose when the power goes.
///
/// Processes see every change at once. The disk keeps what was flushed: `fsync(2)` of a file its bytes, its size and its
/// attributes, `fdatasync(2)` its bytes and its size, `fsync(2)` of a folder its names. Nothing else orders changes to
/// different files or folders, as POSIX has it; file systems that promise more, such as one that flushes the name of a new
/// file with the file, are not relied upon.
///
/// ``crashes(enumerated:sampled:seed:)`` tells what the machine may find when it starts again. Around a disk,
/// ``FaultyFileSystem`` lets calls fail, and the machine stop at one of them.
///
/// Each instance is one process's view of a machine. ``startProcess(killedAtCall:)`` starts another process, which can be
/// killed while the others go on.
final class SimulatedDisk: Sendable {
    /// A machine that several processes share.
    private final class SharedMachine: Sendable {
        let machine: Locked<SimulatedMachine>

        init(_ machine: SimulatedMachine) {
            self.machine = Locked(machine)
        }
    }

    private let shared: SharedMachine
    private let process: SimulatedProcess.ID

    /// Makes an empty disk.
    convenience init(_ properties: SimulatedMachine.Properties = .init()) {
        self.init(SimulatedMachine(properties: properties))
    }

    private convenience init(_ machine: SimulatedMachine) {
        self.init(SharedMachine(machine), process: 0)
    }

    private init(_ shared: SharedMachine, process: SimulatedProcess.ID) {
        self.shared = shared
        self.process = process
    }

    /// Starts another process on the same machine.
    ///
    /// - Parameter number: The call, counted from 1, in whose place the process is killed: its files are closed, its locks
    ///   are gone, what it wrote stays, and this and all of its later calls fail. `nil` if it is not killed.
    func startProcess(killedAtCall number: Int? = nil) -> SimulatedDisk {
        SimulatedDisk(shared, process: withMachine { $0.startProcess(killedAtCall: number) })
    }

    /// Whether this process was killed.
    var wasKilled: Bool { state.processes[process]?.isDead ?? false }

    /// The names of the calls that this process made, each with the last part of its path.
    var callsOfProcess: [String] { state.processes[process]?.calls ?? [] }

    /// The disk when the power fails now and returns: without open files and locks.
    func crash(choosing choices: inout some CrashChoices) -> SimulatedDisk {
        let machine = state
        return SimulatedDisk(SimulatedMachine(machine.volumeAfterPowerLoss(&choices), properties: machine.properties))
    }

    /// The disks that a power loss at this moment may leave, each once.
    ///
    /// - Parameters:
    ///   - limit: How many combinations of outcomes are tried one after the other, from the one that loses nothing.
    ///   - sampleCount: How many more are tried at random if there are more.
    ///   - seed: The same seed gives the same disks.
    func crashes(enumerated limit: Int = 256, sampled sampleCount: Int = 200, seed: UInt64 = 1) -> [SimulatedDisk] {
        let machine = state
        var volumes: Set<SimulatedVolume> = []
        var disks: [SimulatedDisk] = []
        func add(_ volume: SimulatedVolume) {
            guard volumes.insert(volume).inserted else { return }
            disks.append(SimulatedDisk(SimulatedMachine(volume, properties: machine.properties)))
        }
        var enumeration = EnumeratedChoices()
        for _ in 0..<limit {
            add(machine.volumeAfterPowerLoss(&enumeration))
            guard enumeration.advance() else { return disks }
        }
        var random = RandomChoices(SeededGenerator(seed: seed))
        for _ in 0..<sampleCount { add(machine.volumeAfterPowerLoss(&random)) }
        return disks
    }

    /// The disk after all processes were killed: their files are closed, their locks are gone, what they wrote stays.
    func afterProcessesWereKilled() -> SimulatedDisk {
        var machine = state
        for descriptor in machine.descriptions.keys { try? machine.close(descriptor) }
        return SimulatedDisk(machine)
    }

    /// Whether anything is lost when the power goes.
    var hasUnflushedChanges: Bool { !state.pending.isEmpty }

    /// The number of open files.
    var openFileCount: Int { state.descriptions.count }

    /// The machine now, as a copy.
    var state: SimulatedMachine { shared.machine.withLock { $0 } }

    /// Works on the machine while nobody else does.
    func withMachine<Result: Sendable, Failure: Error>(
        _ body: (inout SimulatedMachine) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try shared.machine.withLock { (machine) throws(Failure) in try body(&machine) }
    }

    /// Makes a call of this process.
    func perform<Result: Sendable>(
        _ call: SystemCall,
        _ path: String,
        _ body: (inout SimulatedMachine) throws -> Result
    ) throws(SystemCallError) -> Result {
        do {
            return try withMachine { machine in
                try machine.beginCall("\(call.rawValue) \(path.split(separator: "/").last ?? "/")", of: process)
                return try body(&machine)
            }
        } catch let error as ErrorNumber {
            throw SystemCallError(call, path, error.number)
        } catch {
            preconditionFailure("a machine throws nothing else: \(error)")
        }
    }
}

/// Access for tests, which write durably at once and look contents up without a call that could fail.
extension SimulatedDisk {
    /// Writes a whole file, new or not, with all folders above it.
    func write(_ bytes: [UInt8], to path: String, permissions: UInt32 = 0o600) throws {
        try makeFolders(above: path)
        try withMachine { (machine) throws(ErrorNumber) in
            let place = try machine.visible.place(of: machine.absolute(path), followingLastLink: true)
            let node: SimulatedNode.ID
            if let old = place.node {
                node = old
            } else {
                node = try machine.makeNamed(.file([]), at: path, permissions: permissions)
            }
            machine.change(node, .truncate(size: 0))
            machine.change(node, .write(bytes, offset: 0))
            machine.change(node, .permissions(permissions))
            machine.flushAll()
        }
    }

    /// Makes a folder, with all folders above it.
    func makeFolders(_ path: String) throws {
        try makeFolders(above: path + "/")
    }

    /// Makes a symbolic link.
    func link(_ path: String, to target: String) throws {
        try withMachine { (machine) throws(ErrorNumber) in
            try machine.makeNamed(.link(target: target), at: path, permissions: 0o777)
            machine.flushAll()
        }
    }

    /// The bytes of a file as processes see them; `nil` if the file does not exist.
    func bytes(of path: String) -> [UInt8]? {
        let volume = state.visible
        guard let node = try? volume.node(at: path, followingLastLink: true) else { return nil }
        return volume[node]?.bytes
    }

    /// Limits how many bytes all files may have together from now on; `nil` ends the limit.
    func setCapacity(_ capacity: Int?) {
        withMachine { $0.properties.capacity = capacity }
    }

    /// Lets time pass by the machine's own clock, in nanoseconds.
    func passTime(_ duration: Int64) {
        withMachine { $0.passTime(duration) }
    }

    /// All flushes from now on succeed but one, which loses the bytes that it was to write; `nil` for none.
    func failFlush(number: Int?) {
        withMachine { $0.failFlush(number: number) }
    }

    private func makeFolders(above path: String) throws {
        try withMachine { (machine) throws(ErrorNumber) in
            var folder = ""
            for name in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() where !name.isEmpty {
                folder += "/\(name)"
                guard try machine.visible.place(of: folder, followingLastLink: true).node == nil else { continue }
                try machine.makeNamed(.folder([:]), at: folder, permissions: 0o755)
            }
            machine.flushAll()
        }
    }
}

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
