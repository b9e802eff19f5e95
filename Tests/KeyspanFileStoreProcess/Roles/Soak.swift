import KeyspanCore
import KeyspanFileStore

/// Writes a lot, opens the store many times, and tells at each opening what the process has taken from the system.
struct Soak: Work {
    let invocation: Invocation

    /// As many as a large program has.
    private static let keys = 200

    func run() throws {
        let perOpening = max(1, invocation.count / invocation.openings)
        var number = 0
        for _ in 0..<invocation.openings {
            let store = try invocation.open()
            for _ in 0..<perOpening {
                number += 1
                let key = "\(invocation.name).\(number % Self.keys)"
                try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: key)))
                if number.isMultiple(of: 100) { try store.synchronize() }
                if number.isMultiple(of: 1_000) { tell() }
            }
            tell()
        }
        Output.standard.write("\(Report.acknowledged)\(number)")
    }

    private func tell() {
        Output.standard.write("\(Report.usage)\(ResourceUsage(beside: invocation.path).text)")
    }
}
