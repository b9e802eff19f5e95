import Foundation
import Keyspan

/// A file in which keys are nested in objects, next to a file that has the same keys with dots in their names.
struct NestedFileBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] { [unchanged, inTurn, opening] }

    /// The keys of each group.
    private static let keysOfGroup = 10

    private static func name(_ index: Int) -> String {
        "com.example.group\(index / keysOfGroup).key\(index % keysOfGroup)"
    }

    private var keys: [Defaults.Key<Int>] {
        (0..<plan.keys).map { Defaults.Key<Int>(Self.name($0), default: 0) }
    }

    private func makeFile(isNested: Bool) throws -> String {
        let path = try folder.newFile()
        var batch = PropertyListBatch()
        for index in 0..<plan.keys { batch.set(index.propertyListValue, forKey: Self.name(index)) }
        let options = FileStoreOptions(nesting: .init(newKeys: isNested ? .nested : .flat))
        try JSONFileStore(path: path, keys: keys, options: options).apply(batch)
        let contents = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path)))
        guard (contents as? [String: Any])?.count == (isNested ? 1 : plan.keys) else {
            throw BenchmarkError("\(path) does not have the shape that was asked for")
        }
        return path
    }

    private func open(isNested: Bool) throws -> JSONFileStore {
        try JSONFileStore(path: makeFile(isNested: isNested), keys: keys, options: .notInBackground)
    }

    private var unchanged: Benchmark {
        Benchmark("JSONFileStore, nested: read Int, unchanged") { [self] in
            let workload = { (name: String, isNested: Bool) throws -> Workload in
                let defaults = Defaults(try open(isNested: isNested))
                let key = keys[plan.keys / 2]
                let operations = 1_000
                return Workload(name, operations: operations) {
                    for _ in 0..<operations { blackHole(defaults[key]) }
                }
            }
            return (try workload("read", true), try workload("read of a dotted key", false))
        }
    }

    private var inTurn: Benchmark {
        Benchmark("JSONFileStore, nested: value(forKey:) of \(plan.askedKeys) keys in turn") { [self] in
            let names = (0..<plan.askedKeys).map { Self.name($0 * plan.keys / plan.askedKeys) }
            let workload = { (name: String, isNested: Bool) throws -> Workload in
                let store = try open(isNested: isNested)
                return Workload(name, operations: names.count) {
                    for name in names { blackHole(store.value(forKey: name)) }
                }
            }
            return (try workload("value(forKey:)", true), try workload("of dotted keys", false))
        }
    }

    private var opening: Benchmark {
        Benchmark("JSONFileStore, nested: open, \(plan.keys) keys") { [self] in
            let keys = keys
            let workload = { (name: String, isNested: Bool) throws -> Workload in
                let path = try makeFile(isNested: isNested)
                return Workload(name, operations: 1) {
                    let store = try JSONFileStore(path: path, keys: keys)
                    blackHole(store.value(forKey: Self.name(0)))
                }
            }
            return (try workload("open", true), try workload("open with dotted keys", false))
        }
    }
}
