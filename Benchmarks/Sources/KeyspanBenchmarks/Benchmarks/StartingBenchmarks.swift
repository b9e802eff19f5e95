import Foundation
import Keyspan

/// The whole life of a program that reads one value, next to that of a Swift program that does nothing.
struct StartingBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] { plan.fileSizes.prefix(1).map(start) }

    private func start(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore: start, read one of \(size) keys") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: size)
            let reading = [try Self.program("read-one-value"), path, Contents.name(0)]
            let nothing = [try Self.program("do-nothing")]
            return (
                Workload("process that reads", operations: 1) { try Self.run(reading) },
                Workload("process that does nothing", operations: 1) { try Self.run(nothing) }
            )
        }
    }

    /// A program that is built together with this one.
    private static func program(_ name: String) throws -> String {
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else {
            throw BenchmarkError("the folder of this program is not known")
        }
        let path = folder.appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw MissingPeer("\(name) is not built (swift build -c release --package-path Benchmarks)")
        }
        return path
    }

    /// With bare system calls, because `Process` costs more than a short program.
    private static func run(_ arguments: [String]) throws {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        pointers.append(nil)
        var process = pid_t()
        guard posix_spawn(&process, arguments[0], nil, nil, pointers, environ) == 0 else {
            throw BenchmarkError("\(arguments[0]) cannot be started")
        }
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process else { throw BenchmarkError.systemCall("waitpid") }
        guard status == 0 else { throw BenchmarkError("\(arguments[0]) failed") }
    }
}
