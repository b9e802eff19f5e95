import CMeasurement
import Foundation
import Keyspan

/// What opening a file takes of memory, next to the size of the file.
struct MemoryBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] { plan.fileSizes.suffix(1).flatMap { [allocated($0), peak($0)] } }

    /// The sum of all allocations, whether freed in between or not.
    private func allocated(_ size: Int) -> Benchmark {
        opening(size, "bytes allocated") { path in
            guard keyspan_counts_allocations() else {
                throw MissingPeer("the C library does not let allocations be counted")
            }
            return {
                let before = keyspan_allocations()
                let store = try JSONFileStore(path: path)
                let count = keyspan_allocations() - before
                withExtendedLifetime(store) {}
                return Double(count.bytes)
            }
        }
    }

    /// The memory that a process has at most, above what it had before.
    private func peak(_ size: Int) -> Benchmark {
        opening(size, "peak memory") { [folder] path in
            // Opened first, so that the code itself is in memory.
            let small = try folder.newFile()
            try JSONFileStore.makeFile(small, count: plan.smallFileSize)
            return {
                let process = try ChildProcess(OpeningProcess.arguments(path: path, small: small))
                return Double(try process.next().number)
            }
        }
    }

    private func opening(
        _ size: Int,
        _ what: String,
        _ makeFigure: @escaping (String) throws -> () throws -> Double
    ) -> Benchmark {
        Benchmark("JSONFileStore: open, \(size) keys, \(what)") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: size)
            let fileSize = Double(try Data(contentsOf: URL(filePath: path)).count)
            return (
                Workload(what, reporting: .bytes, try makeFigure(path)),
                Workload("size of the file", reporting: .bytes) { fileSize }
            )
        }
    }
}
