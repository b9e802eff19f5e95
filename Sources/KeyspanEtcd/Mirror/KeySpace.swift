#if Etcd
internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The keys of the cluster that belong to a store: those that begin with its prefix.
struct KeySpace: Sendable, Hashable {
    /// The beginning of the names that the store keeps for itself.
    static let reserved = ".keyspan/"

    /// A key of the cluster, as the store sees it.
    enum Name {
        /// The name of an entry.
        case entry(String)
        /// A marker of a writer, of this store or another one.
        case marker
        /// A name that no key of a store can have.
        case foreign
    }

    /// The bytes with which the keys begin.
    let prefix: Data

    init(prefix: String) {
        self.prefix = Data(prefix.utf8)
    }

    /// The key of the entry of a name.
    func key(of name: String) -> Data {
        var key = prefix
        key.append(contentsOf: name.utf8)
        return key
    }

    /// The meaning of a key of the cluster with the prefix.
    func name(of key: Data) -> Name {
        // Bytes in place of a slice of `Data`, whose generic algorithms take longer than all else in a listing.
        key.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(prefix.count))
            if Self.isReserved(rest) { return .marker }
            guard !rest.isEmpty, !rest.contains(0), let name = String(validating: rest, as: UTF8.self) else {
                return .foreign
            }
            return .entry(name)
        }
    }

    /// Whether a name is one of a store's own: of this one, or of one whose prefix begins with this one's.
    static func isReserved(_ name: String) -> Bool { isReserved(name.utf8) }

    private static func isReserved(_ name: some Collection<UInt8>) -> Bool {
        if name.starts(with: reserved.utf8) { return true }
        guard name.count > reserved.utf8.count else { return false }
        let slash = UInt8(ascii: "/")
        return name.indices.contains { name[$0] == slash && name[name.index(after: $0)...].starts(with: reserved.utf8) }
    }

    /// The first key of the range of all keys.
    var start: Data { prefix.isEmpty ? Data([0]) : prefix }

    /// The end of the range of all keys: the first key behind them, or a zero byte if there is none.
    var end: Data { Self.end(ofKeysBeginningWith: prefix) }

    /// The ranges of all keys except some and the store's own.
    func ranges(without kept: [Data]) -> [(start: Data, end: Data)] {
        let markers = key(of: Self.reserved)
        var gaps = kept.map { (start: $0, end: $0 + [0]) }
        gaps.append((start: markers, end: Self.end(ofKeysBeginningWith: markers)))
        gaps.sort { $0.start.lexicographicallyPrecedes($1.start) }
        var ranges: [(start: Data, end: Data)] = []
        var start = self.start
        for gap in gaps where !gap.start.lexicographicallyPrecedes(start) {
            if start != gap.start { ranges.append((start, gap.start)) }
            start = gap.end
        }
        if start != end { ranges.append((start, end)) }
        return ranges
    }

    /// The key as people read it in a message.
    static func description(of key: Data) -> String {
        String(decoding: key, as: UTF8.self).quoted
    }

    private static func end(ofKeysBeginningWith prefix: Data) -> Data {
        var end = prefix
        while let last = end.last {
            if last < 0xff {
                end[end.endIndex - 1] = last + 1
                return end
            }
            end.removeLast()
        }
        return Data([0])
    }
}
#endif
