import Foundation
import Keyspan

/// The time from a write until an observer in another process is called, next to a pipe.
struct NoticingBenchmarks {
    private static let key = Contents.name(0)
    /// The time between two writes, because writes that follow one another closely are noticed together.
    private static let pause = Duration.milliseconds(30)

    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        [
            noticing("default options", .init(), floor: "pipe", isDurable: false),
            noticing(
                "everyBatch",
                .init(durability: .everyBatch),
                floor: "append 64 B, fdatasync, pipe",
                isDurable: true
            ),
        ]
    }

    private func noticing(
        _ name: String,
        _ options: FileStoreOptions,
        floor floorName: String,
        isDurable: Bool
    ) -> Benchmark {
        Benchmark(
            "JSONFileStore: seen by another process, \(name)",
            rounds: plan.latencies,
            showsTail: true
        ) { [plan, folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: plan.keys)
            // With a journal, as a file has it that was written to before.
            try JSONFileStore.addHistory(toFileAt: path, count: plan.keys)
            let store = try JSONFileStore(path: path, options: options)
            let process = try ChildProcess(ObservingProcess.arguments(path: path, key: Self.key))
            // The observer begins with the value that there is, of which the others are greater.
            try process.next()
            var number = plan.keys
            let subject = Workload("write until seen", reporting: .nanoseconds) {
                number += 1
                Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
                let start = Stopwatch.wall.now
                try store.apply(PropertyListBatch(.set(number.propertyListValue, key: Self.key)))
                return (try process.time(of: number) - start) / .nanoseconds(1)
            }
            let file = try AppendedFile(path: path + ".floor")
            let bytes = [UInt8](repeating: 0x78, count: 64)
            let floor = Workload(floorName, reporting: .nanoseconds) {
                number += 1
                Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
                let start = Stopwatch.wall.now
                if isDurable { try file.append(bytes) }
                try process.send(number)
                return (try process.time(of: number) - start) / .nanoseconds(1)
            }
            return (subject, floor)
        }
    }
}
