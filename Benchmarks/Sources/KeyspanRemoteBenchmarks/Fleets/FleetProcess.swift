#if Remote
import ArgumentParser
import Foundation

/// Opens many streams, and reports when each of its connections had an event.
struct FleetProcess: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fleet-process", shouldDisplay: false)

    @Argument var port: Int
    @Argument var count: Int

    func run() throws {
        try OpenFiles.raiseLimit()
        var connections = try (0..<count).map { _ in try StreamConnection(port: port) }
        var polled = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        // Until the program that started this one ends it.
        polled.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0))
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var times: [Double] = []
        while true {
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { throw BenchmarkError.systemCall("poll") }
            if polled[count].revents != 0 { return }
            for index in 0..<count where polled[index].revents != 0 {
                guard try connections[index].read(into: &buffer) else { continue }
                times.append(Stopwatch.wall.now / .nanoseconds(1))
            }
            // Each connection has one event: the next change comes only after this report.
            guard times.count == count else { continue }
            print(times: times)
            times = []
        }
    }

    private func print(times: [Double]) {
        let line = times.map { String(format: "%.0f", $0) }.joined(separator: " ")
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
#endif
