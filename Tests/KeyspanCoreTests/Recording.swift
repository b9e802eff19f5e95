import KeyspanCore
import KeyspanTestSupport

/// The changes of a store that an operation makes, each as the names of its entries.
func recordedChanges(of store: any PropertyListStore, during operation: () throws -> Void) rethrows -> [[String]] {
    let changes = Recorder<[String]>()
    let observation = store.observe(.all, initial: false) { changes.record($0.entries.map(\.key).sorted()) }
    try operation()
    observation.cancel()
    return changes.values
}

extension StoreError {
    /// The error of each write to a store without write access.
    static let sealed = StoreError(.readOnly, store: "vault", reason: "it is sealed", remedy: "break the seal")

    /// The error of a store on a full disk.
    static let diskFull = StoreError(.notDurable, store: "disk", reason: "it is full", remedy: "free some space")
}

/// Stores a text as it is, and counts how often it decodes one.
final class CountingBridge: Defaults.Bridge, Sendable {
    private let decodings = Recorder<String?>()

    func serialize(_ value: String?) -> String? { value }

    func deserialize(_ object: String?) -> String? {
        decodings(object)
        return object
    }

    /// The number of decodings that a body needs.
    func decodings(during body: () throws -> Void) rethrows -> Int {
        let before = decodings.count
        try body()
        return decodings.count - before
    }
}
