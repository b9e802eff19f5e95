#if Etcd
import ArgumentParser
import Foundation
import KeyspanCore
import KeyspanEtcd

/// Opens many stores, or as many connections of the client alone, and reports when all of them were notified of a number.
struct FleetProcess: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fleet-process", shouldDisplay: false)

    /// What the process has many of.
    enum Kind: String, ExpressibleByArgument {
        case store
        case client
    }

    @Argument var kind: Kind
    @Argument var count: Int
    @Argument var prefix: String
    @Argument var members: [String]

    func run() throws {
        try OpenFiles.raiseLimit()
        let board = FleetBoard(count: count)
        let name = FleetBenchmarks.name
        var fleet: [any Sendable] = []
        func open(_ index: Int) throws {
            // One member after the other comes first.
            let first = index % members.count
            let turned = Array(members[first...] + members[..<first])
            switch kind {
            case .store:
                let store = try EtcdStore(endpoints: turned, prefix: prefix)
                fleet.append(store)
                fleet.append(
                    store.observe(.named([name]), initial: false) { change in
                        guard case .integer(let number)? = change[name]?.new else { return }
                        board.note(number.converted() ?? 0)
                    }
                )
            case .client:
                let client = try RawClient(at: turned)
                try client.watch(prefix) { board.note(Int(String(decoding: $1, as: UTF8.self)) ?? 0) }
                fleet.append(client)
            }
        }
        try open(0)
        Thread.sleep(forTimeInterval: 0.5)
        let before = try ResidentMemory.now
        let start = Stopwatch.wall.now
        for index in 1..<count { try open(index) }
        let time = Stopwatch.wall.now - start
        Thread.sleep(forTimeInterval: 1)
        let report = FleetReport(
            openingNanoseconds: time / .nanoseconds(1) / Double(count - 1),
            bytes: Double(try ResidentMemory.now - before) / Double(count - 1)
        )
        try report.print()
        // Until the program that started this one ends it.
        _ = readLine()
        withExtendedLifetime(fleet) {}
    }
}
#endif
