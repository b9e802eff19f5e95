import Foundation
import Keyspan

/// Opening a JSON file, which reads it, next to parsing its bytes when they are in memory already.
///
/// Both include releasing what was read.
struct OpeningBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        plan.fileSizes.flatMap { size in
            [
                opening(size, nextTo: "JSONSerialization") { try JSONSerialization.jsonObject(with: $0) },
                opening(size, nextTo: "JSONDecoder") { try JSONDecoder().decode([String: JSONScalar].self, from: $0) },
            ]
        }
    }

    private func opening<Parsed>(
        _ size: Int,
        nextTo parser: String,
        _ parse: @escaping (Data) throws -> Parsed
    ) -> Benchmark {
        Benchmark("JSONFileStore: open, \(size) keys") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore(path: path).fill(count: size)
            let data = try Data(contentsOf: URL(filePath: path))
            let subject = Workload("open", operations: 1) {
                let store = try JSONFileStore(path: path)
                blackHole(store.value(forKey: Contents.name(0)))
            }
            let floor = Workload(parser, operations: 1) {
                blackHole(try parse(data))
            }
            return (subject, floor)
        }
    }
}

extension JSONFileStore {
    /// Writes that many keys to the file and checks that they are there.
    func fill(count: Int) throws {
        try apply(Contents.batch(count: count))
        try synchronize()
        guard try JSONFileStore(path: name).snapshot().count == count else {
            throw BenchmarkError("\(name) does not have the \(count) keys that were written to it")
        }
    }
}

/// A scalar of JSON, decoded as programs do it that do not know the type beforehand.
private enum JSONScalar: Decodable {
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder offers no question for the type: each failure means that it is another one, and the last one throws.
        if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }
}
