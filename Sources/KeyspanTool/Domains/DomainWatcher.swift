import Keyspan

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Notices how a domain changes, whoever writes it, by looking at its file again and again.
///
/// The store reports the changes of its own process only, and this one makes none. When the store reports those of
/// others too, its observers replace this type.
struct DomainWatcher {
    /// The time between two looks: short enough that a person sees a change at once; an idle domain costs one `stat`.
    static let interval = Duration.milliseconds(200)

    /// The keys and values as they were last seen.
    private(set) var table: PropertyListTable

    private let domain: Domain
    private var signature: FileSignature?
    private var wasMissing = false

    /// Begins with the present values of a domain, which need not exist.
    ///
    /// - Throws: ``ToolError`` if its file cannot be read.
    init(_ domain: Domain) throws(ToolError) {
        self.domain = domain
        // Asked before the file is read: a change in between is found by the next look.
        signature = Self.signature(of: domain)
        table = try domain.snapshot()
    }

    /// The keys that differ from the last look, sorted.
    ///
    /// A file that cannot be read, such as one that is half written, is passed over and looked at again next time.
    /// So is a file that has been missing for one look only, which is how some editors save.
    mutating func changes() -> [PropertyListChange.Entry] {
        let signature = Self.signature(of: domain)
        guard signature != self.signature else {
            wasMissing = false
            return []
        }
        if signature == nil, !wasMissing {
            wasMissing = true
            return []
        }
        guard let new = try? domain.snapshot() else { return [] }
        let old = table
        (self.signature, table, wasMissing) = (signature, new, false)
        return Set(old.map(\.key) + new.map(\.key)).sorted().compactMap { key in
            old[key] == new[key] ? nil : PropertyListChange.Entry(key: key, old: old[key], new: new[key])
        }
    }

    /// Sleeps until it is time for the next look.
    static func pause() {
        var time = timespec(tv_sec: 0, tv_nsec: Int(interval.components.attoseconds / 1_000_000_000))
        // A signal that ends the sleep early makes the next look early, no more.
        nanosleep(&time, nil)
    }

    private static func signature(of domain: Domain) -> FileSignature? {
        // A file that cannot be asked for is like one that is not there; opening it tells the difference.
        (try? FileSignature(path: domain.path)) ?? nil
    }
}
