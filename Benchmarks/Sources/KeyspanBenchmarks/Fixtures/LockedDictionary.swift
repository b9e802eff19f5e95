import Keyspan
import Synchronization

/// The floor of reads and writes: what a program writes that has no library, a dictionary and a lock.
final class LockedDictionary: Sendable {
    private let values: Mutex<[String: PropertyListValue]>

    init(_ values: [String: PropertyListValue]) {
        self.values = Mutex(values)
    }

    /// The value of a key.
    @inline(__always)
    subscript(name: String) -> PropertyListValue? {
        get { values.withLock { $0[name] } }
        set { values.withLock { $0[name] = newValue } }
    }

    /// Reads and writes several values without another thread between them.
    @inline(__always)
    func update(_ change: (inout [String: PropertyListValue]) -> Void) {
        values.withLock { change(&$0) }
    }

    /// All keys and values; the next write copies them.
    func snapshot() -> [String: PropertyListValue] {
        values.withLock { $0 }
    }
}
