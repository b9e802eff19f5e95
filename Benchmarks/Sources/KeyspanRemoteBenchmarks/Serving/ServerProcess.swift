#if Remote
import ArgumentParser
import Foundation
import KeyspanCore
import KeyspanRemote
import NIOCore
import NIOHTTP1

/// Serves streams of events, changes the number on command, and reports the costs.
struct ServerProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "server-process", shouldDisplay: false)

    /// The origin of the events.
    enum Kind: String, ExpressibleByArgument {
        /// A publisher.
        case publisher
        /// Bytes of an event that are written to all connections: the least that a server of streams can do.
        case bytes
    }

    @Argument var kind: Kind
    @Argument var keys: Int
    @Argument var signingKey: String

    func run() async throws {
        try OpenFiles.raiseLimit()
        let key = try SigningKey(id: "benchmark", base64Encoded: signingKey)
        let source: any EventSource =
            switch kind {
            case .publisher: try PublisherSource(PublishedSettings(count: keys, signingKey: key))
            case .bytes: ByteSource()
            }
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await EventServer(answer: source.answer).run { port in Self.print("ready \(port)") }
            }
            group.addTask {
                // Lines come on a thread of their own, since reading them blocks it.
                for await line in Self.lines() { try Self.handle(line, source) }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private static func handle(_ line: String, _ source: any EventSource) throws {
        let words = line.split(separator: " ")
        if words.count == 2, words[0] == "change", let number = Int(words[1]) {
            let start = Stopwatch.wall.now
            source.change(to: number)
            print("changed \(number) \(start / .nanoseconds(1))")
        } else {
            print("report \(try ResidentMemory.now) \(processorTime / .nanoseconds(1)) \(source.count)")
        }
    }

    /// The processor time of the process.
    private static var processorTime: Duration {
        var time = timespec()
        // Cannot fail: the clock exists on Linux and on Apple systems, and the pointer is valid.
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let thread = Thread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
            thread.start()
        }
    }

    private static func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

/// The origin of a server's events.
protocol EventSource: Sendable {
    /// The number of streams.
    var count: Int { get }

    /// Sends an event to all of them.
    func change(to number: Int)

    /// Answers a request.
    @Sendable func answer(
        _ head: HTTPRequestHead,
        _ connection: EventServer.Connection,
        _ writer: EventServer.Writer
    ) async throws
}
#endif
