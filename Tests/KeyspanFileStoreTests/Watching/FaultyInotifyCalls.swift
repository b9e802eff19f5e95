#if os(Linux)
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// The real inotify, with calls that fail, or events that a test makes up.
final class FaultyInotifyCalls: InotifyCalls {
    /// The faults.
    enum Fault: Sendable {
        case none
        /// The limit of instances is reached.
        case makeInstance(errno: Int32)
        /// The limit of watches is reached, from the watch with this number on.
        case addWatch(number: Int, errno: Int32)
        /// Something happens before the watch of this number begins.
        case change(number: Int, @Sendable () -> Void)
        /// Something happens after the watch of this number has begun, before the call returns.
        case changeAfter(number: Int, @Sendable () -> Void)
        /// The only events are those that the test writes to the pipe.
        case madeUpEvents
    }

    private struct State {
        var fault: Fault
        var watches = 0
        var pipe: Int32?
        var numbers: [String: Int32] = [:]
    }

    private let base = SystemInotifyCalls()
    private let state: Locked<State>

    init(_ fault: Fault) {
        state = Locked(State(fault: fault))
    }

    deinit {
        if let pipe = state.withLock({ $0.pipe }) { close(pipe) }
    }

    /// The number of watches that were asked for since the fault was set.
    var watchCount: Int { state.withLock { $0.watches } }

    /// Sets what goes wrong from now on.
    func inject(_ fault: Fault) {
        state.withLock { $0 = State(fault: fault) }
    }

    func makeInstance(for path: String) throws(SystemCallError) -> Int32 {
        switch state.withLock({ $0.fault }) {
        case .makeInstance(let errno): throw SystemCallError(.inotifyInit, path, errno)
        case .madeUpEvents: return makePipe()
        default: return try base.makeInstance(for: path)
        }
    }

    func addWatch(_ path: String, mask: UInt32, to instance: Int32) throws(SystemCallError) -> Int32 {
        let (fault, watches) = state.withLock { state in
            state.watches += 1
            return (state.fault, state.watches)
        }
        switch fault {
        case .addWatch(let number, let errno) where watches >= number:
            throw SystemCallError(.inotifyAddWatch, path, errno)
        case .change(watches, let change):
            change()
            return try base.addWatch(path, mask: mask, to: instance)
        case .changeAfter(watches, let change):
            let watch = try base.addWatch(path, mask: mask, to: instance)
            change()
            return watch
        case .madeUpEvents:
            return state.withLock { state in
                let number = state.numbers[path] ?? Int32(watches)
                state.numbers[path] = number
                return number
            }
        default:
            return try base.addWatch(path, mask: mask, to: instance)
        }
    }

    func removeWatch(_ watch: Int32, from instance: Int32) {
        base.removeWatch(watch, from: instance)
    }

    /// Makes events up that happened at a folder or a file; they are read at once.
    func send(_ mask: Int32, name: String = "", at path: String?, count: Int = 1) {
        let (pipe, number) = state.withLock { state in (state.pipe ?? -1, path.map { state.numbers[$0] ?? 0 } ?? -1) }
        let text = Array(name.utf8) + Array(repeating: 0, count: 16 - name.utf8.count)
        let fields = [UInt32(bitPattern: number), UInt32(bitPattern: mask), 0, 16]
        let event = fields.flatMap { field in withUnsafeBytes(of: field) { Array($0) } } + text
        let bytes = Array(repeatElement(event, count: count).joined())
        precondition(write(pipe, bytes, bytes.count) == bytes.count)
    }

    private func makePipe() -> Int32 {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        for end in ends { precondition(fcntl(end, F_SETFL, O_NONBLOCK) == 0 && fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        state.withLock { [ends] in $0.pipe = ends[1] }
        return ends[0]
    }
}
#endif
