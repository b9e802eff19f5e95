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
        } + plan.fileSizes.suffix(1).map(openingWithJournal)
    }

    private func opening<Parsed>(
        _ size: Int,
        nextTo parser: String,
        _ parse: @escaping (Data) throws -> Parsed
    ) -> Benchmark {
        Benchmark("JSONFileStore: open, \(size) keys") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: size)
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

    /// With a journal that has not been folded, as it is after a crash.
    private func openingWithJournal(_ size: Int) -> Benchmark {
        let records = plan.journalRecords
        return Benchmark("JSONFileStore: open, \(size) keys and \(records) records") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: size)
            try writeJournal(ofFileAt: path, records: records)
            let data = try Data(contentsOf: URL(filePath: path))
            let (key, last) = (Contents.name(records - 1), records.propertyListValue)
            // Without a journal of its own, so that releasing it does not fold the one that is there.
            let subject = Workload("open", operations: 1) {
                let store = try JSONFileStore(path: path, options: .init(journal: .none))
                guard store.value(forKey: key) == last else { throw BenchmarkError("\(path) has lost its journal") }
            }
            let floor = Workload("JSONSerialization", operations: 1) {
                blackHole(try JSONSerialization.jsonObject(with: data))
            }
            return (subject, floor)
        }
    }

    private func writeJournal(ofFileAt path: String, records: Int) throws {
        let file = URL(filePath: path)
        let original = try Data(contentsOf: file)
        var store: JSONFileStore? = try JSONFileStore(path: path, options: .notInBackground)
        for index in 0..<records {
            try store?.apply(PropertyListBatch(.set((index + 1).propertyListValue, key: Contents.name(index))))
            try store?.synchronize()
        }
        let journal = URL(filePath: try JSONFileStore.journal(ofFileAt: path))
        let unfolded = try Data(contentsOf: journal)
        store = nil
        // The release has folded the journal.
        try original.write(to: file)
        try unfolded.write(to: journal)
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
