import Foundation
import Keyspan

/// Making one changed key durable, next to what the disk asks for at least.
struct SavingBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        plan.fileSizes.flatMap { size in
            [
                saving(size) { path in
                    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
                    let file = ReplacedFile(path: path + ".floor")
                    return Workload("temporary file, fsync, rename", operations: 1) {
                        try file.replace(with: bytes)
                    }
                },
                saving(size) { path in
                    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 64)
                    let file = try AppendedFile(path: path + ".log")
                    return Workload("append 64 B, fdatasync", operations: 1) {
                        try file.append(bytes)
                    }
                },
            ]
        }
    }

    /// The change is not measured, the call of `synchronize()` is.
    private func saving(_ size: Int, nextTo floor: @escaping (_ path: String) throws -> Workload) -> Benchmark {
        Benchmark("JSONFileStore: synchronize, \(size) keys") { [folder] in
            let store = try JSONFileStore(path: try folder.newFile(), options: .init(saveDelay: .seconds(3_600)))
            try store.fill(count: size)
            let defaults = Defaults(store)
            let key = Defaults.Key(Contents.name(0), default: 0)
            var number = 0
            let subject = Workload("synchronize", operations: 1) {
                number += 1
                defaults[key] = number
            } body: {
                try store.synchronize()
            }
            return (subject, try floor(store.name))
        }
    }
}
