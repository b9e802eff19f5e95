import Foundation
import Keyspan

/// Opening a JSON file, which reads it, next to parsing its bytes.
///
/// Both include releasing what was read.
struct OpeningBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        ([plan.smallFileSize] + plan.fileSizes).flatMap { [opening($0), opening($0, hasHistory: true)] }
            + plan.fileSizes.flatMap { size in
                [
                    opening(size, nextTo: "JSONSerialization") { try JSONSerialization.jsonObject(with: $0) },
                    opening(size, nextTo: "JSONDecoder") {
                        try JSONDecoder().decode([String: JSONScalar].self, from: $0)
                    },
                ]
            }
            + plan.fileSizes.suffix(1).flatMap { [openingWithJournal($0), openingAndReading($0)] }
    }

    /// Next to reading and parsing the file.
    private func opening(_ size: Int, hasHistory: Bool = false) -> Benchmark {
        Benchmark("JSONFileStore: open, \(size) keys\(hasHistory ? " with history" : "")") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: size)
            if hasHistory { try JSONFileStore.addHistory(toFileAt: path, count: size) }
            return (Self.opening(path), Self.readingAndParsing(path))
        }
    }

    /// Next to parsing the bytes when they are in memory already.
    private func opening<Parsed>(
        _ size: Int,
        nextTo parser: String,
        _ parse: @escaping (Data) throws -> Parsed
    ) -> Benchmark {
        Benchmark("JSONFileStore: open, \(size) keys") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: size)
            let data = try Data(contentsOf: URL(filePath: path))
            let floor = Workload(parser, operations: 1) {
                blackHole(try parse(data))
            }
            return (Self.opening(path), floor)
        }
    }

    private static func opening(_ path: String) -> Workload {
        Workload("open", operations: 1) {
            let store = try JSONFileStore(path: path)
            blackHole(store.value(forKey: Contents.name(0)))
        }
    }

    private static func readingAndParsing(_ path: String) -> Workload {
        Workload("read, JSONSerialization", operations: 1) {
            blackHole(try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))))
        }
    }

    /// Opening, and the first read of each key, for which a value may be decoded only then.
    private func openingAndReading(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore: open and read each of \(size) keys") { [folder] in
            let path = try folder.newFile()
            try JSONFileStore.makeFile(path, count: size)
            let names = (0..<size).map(Contents.name)
            let subject = Workload("open, read each", operations: 1) {
                let store = try JSONFileStore(path: path)
                for name in names {
                    blackHole(store.value(forKey: name))
                }
            }
            return (subject, Self.readingAndParsing(path))
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
