import Foundation
import KeyspanCore

/// The thread of a ``TCPProxy``, which waits for all its sockets at once, and what it shares with the proxy.
///
/// The lock is held while sockets are read and written, which never block, and not while the thread waits. Meanwhile the proxy may
/// close sockets: the thread then finds their connections gone and ignores what it was told about them.
final class ProxyLoop: Sendable {
    /// The sockets and rules of a proxy.
    struct State {
        /// The socket on which clients arrive, if they are not refused.
        var listener: Int32?
        var connections: [Int: ProxyConnection] = [:]
        var rules: [TCPProxy.Direction: ProxyLane.Rule] = [:]
        /// The number of bytes in a direction after which the next connection is cut.
        var limit: (direction: TCPProxy.Direction, bytes: Int)?
        /// The number of connections so far, which names the next one.
        var accepted = 0
        var isStopped = false
        /// Signaled when the thread has left its present wait.
        fileprivate var observers: [DispatchSemaphore] = []
        fileprivate var hasEnded = false

        fileprivate init(listener: Int32) {
            self.listener = listener
        }
    }

    /// What one round waits for.
    private struct Round {
        var polls: [pollfd]
        /// The connection of each descriptor after the first two.
        var connections: [Int] = []
        /// When bytes that were held back are due.
        var wakeTime: ContinuousClock.Instant?
    }

    private let server: IPv4Endpoint
    private let state: Locked<State>
    private let wakeReader: Int32
    private let wakeWriter: Int32

    /// Takes over a listening socket.
    init(listener: Int32, server: IPv4Endpoint) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            close(listener)
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        ends.forEach { IPv4Endpoint.prepare($0) }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        self.server = server
        state = Locked(State(listener: listener))
    }

    deinit {
        close(wakeReader)
        close(wakeWriter)
    }

    /// Reads or changes the state, and wakes the thread to follow it.
    func update<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        defer {
            var byte: UInt8 = 0
            // A full pipe wakes the thread as well.
            _ = write(wakeWriter, &byte, 1)
        }
        return try state.withLock { state in
            try body(&state)
        }
    }

    /// Changes the state in a way that closes sockets, and blocks the calling thread until they are closed.
    ///
    /// While the thread waits for a socket, the kernel keeps it open, for microseconds after the thread was woken.
    func updateAndWait(_ body: (inout State) -> Void) {
        let isClosed = DispatchSemaphore(value: 0)
        update { state in
            body(&state)
            if state.hasEnded { isClosed.signal() } else { state.observers.append(isClosed) }
        }
        isClosed.wait()
    }

    /// Passes bytes until the proxy has stopped.
    func run() {
        while var round = state.withLock({ Self.prepare(&$0, wakeReader) }) {
            let count = poll(&round.polls, nfds_t(round.polls.count), Self.milliseconds(until: round.wakeTime))
            guard count >= 0 || errno == EINTR else { continue }
            var bytes = [UInt8](repeating: 0, count: 256)
            while read(wakeReader, &bytes, bytes.count) == bytes.count {}
            state.withLock { state in
                serve(round, &state)
                if round.polls[1].revents != 0 { accept(&state) }
            }
        }
    }

    /// Lists the descriptors to wait for, unless the proxy has stopped.
    private static func prepare(_ state: inout State, _ wakeReader: Int32) -> Round? {
        for observer in state.observers { observer.signal() }
        state.observers = []
        guard !state.isStopped else {
            state.hasEnded = true
            return nil
        }
        var round = Round(polls: [
            pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: state.listener ?? -1, events: Int16(POLLIN), revents: 0),
        ])
        for (number, connection) in state.connections {
            for descriptor in [connection.client, connection.server] {
                var events: Int32 = 0
                if connection.isConnecting {
                    events = descriptor == connection.server ? Int32(POLLOUT) : 0
                } else {
                    for (direction, lane) in connection.lanes {
                        let rule = state.rules[direction] ?? .init()
                        if lane.source == descriptor, lane.wantsRead(rule) { events |= Int32(POLLIN) }
                        guard lane.target == descriptor, let time = lane.writeTime(rule) else { continue }
                        if time <= .now {
                            events |= Int32(POLLOUT)
                        } else {
                            round.wakeTime = min(round.wakeTime ?? time, time)
                        }
                    }
                }
                // Without interest in a descriptor, its errors would wake the thread over and over.
                round.polls.append(pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0))
                round.connections.append(number)
            }
        }
        return round
    }

    /// Reads and writes what can be, and closes the connections that have ended.
    private func serve(_ round: Round, _ state: inout State) {
        for (event, number) in zip(round.polls.dropFirst(2), round.connections) where event.revents != 0 {
            guard var connection = state.connections[number] else { continue }
            do {
                if connection.isConnecting {
                    try connection.finishConnecting()
                } else {
                    for direction in TCPProxy.Direction.allCases {
                        let rule = state.rules[direction] ?? .init()
                        guard var lane = connection.lanes[direction] else { continue }
                        if lane.source == event.fd, lane.wantsRead(rule) { try lane.read(rule) }
                        try lane.write(rule)
                        connection.lanes[direction] = lane
                    }
                }
                state.connections[number] = connection
                guard connection.isDone else { continue }
                connection.close(reset: false)
            } catch {
                connection.close(reset: true)
            }
            state.connections[number] = nil
        }
    }

    private func accept(_ state: inout State) {
        guard let listener = state.listener else { return }
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            IPv4Endpoint.prepare(client)
            state.accepted += 1
            guard let server = try? server.beginConnecting() else {
                close(client)
                continue
            }
            state.connections[state.accepted] = ProxyConnection(client: client, server: server, limit: state.limit)
            state.limit = nil
        }
    }

    private static func milliseconds(until time: ContinuousClock.Instant?) -> Int32 {
        guard let time else { return -1 }
        let (seconds, attoseconds) = max(time - .now, .zero).components
        return Int32(min(seconds, 1_000) * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
