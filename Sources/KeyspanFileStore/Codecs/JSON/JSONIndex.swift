@_spi(StoreAuthors) import KeyspanCore

/// A member of a JSON text that is an entry of a table: where its name and its value are.
struct JSONEntry {
    /// The name, without its quotes.
    var nameStart: UInt32
    var nameEnd: UInt32
    /// The value, without the space around it.
    var valueStart: UInt32
    var valueEnd: UInt32
    /// The lower half of the hash of the key.
    let hash: UInt32
    private var details: UInt32

    private static let nullFlag: UInt32 = 1 << 31
    private static let escapesFlag: UInt32 = 1 << 30
    private static let numberBits = escapesFlag - 1

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - name: The place of the name without its quotes.
    ///   - value: The place of the value.
    ///   - hash: The hash of the name without escapes.
    ///   - hasEscapes: Whether the name has escapes.
    ///   - isNull: Whether the value is `null`, so that the member counts as absent.
    init(name: Range<Int>, value: Range<Int>, hash: UInt64, hasEscapes: Bool, isNull: Bool) {
        // A document has no more bytes than these integers hold.
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
        self.hash = UInt32(truncatingIfNeeded: hash)
        details = (isNull ? Self.nullFlag : 0) | (hasEscapes ? Self.escapesFlag : 0)
    }

    /// The name in the text, without its quotes.
    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    /// The value in the text.
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    /// The first byte of the member: the quote before the name.
    var start: Int { Int(nameStart) - 1 }
    /// The end of the member, which is that of its value.
    var end: Int { Int(valueEnd) }

    var isNull: Bool { details & Self.nullFlag != 0 }
    var nameHasEscapes: Bool { details & Self.escapesFlag != 0 }

    /// The number of the value among those that are kept once they were read; `nil` for one that is quickly read again.
    var keptNumber: Int? {
        get {
            let number = details & Self.numberBits
            return number == 0 ? nil : Int(number) - 1
        }
        set {
            details &= ~Self.numberBits
            // Values whose number does not fit, in a text of some gigabytes, are read each time.
            if let newValue, newValue < Self.numberBits { details |= UInt32(truncatingIfNeeded: newValue + 1) }
        }
    }

    /// Moves the entry with the text around it.
    mutating func move(by distance: Int) {
        nameStart = UInt32(truncatingIfNeeded: Int(nameStart) + distance)
        nameEnd = UInt32(truncatingIfNeeded: Int(nameEnd) + distance)
        valueStart = UInt32(truncatingIfNeeded: Int(valueStart) + distance)
        valueEnd = UInt32(truncatingIfNeeded: Int(valueEnd) + distance)
    }
}

/// An object or array of a JSON text whose items are entries.
struct JSONObject {
    /// The braces or brackets.
    var open: Int
    var close: Int
    /// Whether the names of the members are sorted by their UTF-8, and no comment is among them.
    var isSorted = true
}

/// The entries of a JSON text in their order, found by the hashes of their keys.
///
/// It takes 24 bytes for each entry and 8 to 16 for the table of hashes, and no allocation for each entry.
struct JSONIndex {
    /// The entries, in the order of the text.
    private(set) var entries: ContiguousArray<JSONEntry> = []
    /// The object around them.
    var object: JSONObject
    /// The number of entries that have a value.
    private(set) var count = 0
    /// The number of values that are kept once they were read.
    private(set) var keptCount = 0

    // The numbers of the entries, from 1, by their hashes; 0 for a free bucket. The count is a power of two.
    private var buckets: [UInt32] = []

    /// Makes an empty index with room for a number of entries.
    init(of object: JSONObject) {
        self.object = object
        makeBuckets(for: 0)
    }

    /// Makes an index of entries.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - object: The object around them.
    ///   - original: An index of entries with the same keys in the same order, if there is one.
    init(_ entries: ContiguousArray<JSONEntry>, of object: JSONObject, named original: JSONIndex?) {
        self.entries = entries
        self.object = object
        for index in entries.indices {
            if !entries[index].isNull { count += 1 }
            guard entries[index].keptNumber != nil else { continue }
            self.entries[index].keptNumber = keptCount
            keptCount += 1
        }
        if let original {
            buckets = original.buckets
        } else {
            makeBuckets(for: entries.count)
        }
    }

    /// Makes room for a number of entries.
    mutating func reserve(_ capacity: Int) {
        entries.reserveCapacity(capacity)
        if capacity * 2 > buckets.count { makeBuckets(for: capacity) }
    }

    /// Adds an entry behind the others, unless there is one with its key.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - isKept: Whether its value is kept once it was read.
    ///   - hasSameKey: Whether an entry with the same hash has the same key.
    /// - Returns: Whether there was none.
    @inline(__always)
    mutating func append(
        _ entry: JSONEntry,
        keepingValue isKept: Bool,
        unless hasSameKey: (JSONEntry) -> Bool
    ) -> Bool {
        if (entries.count + 1) * 2 > buckets.count { makeBuckets(for: max(8, entries.count * 2)) }
        var bucket = Int(entry.hash) & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let place = Int(buckets[bucket]) - 1
            if entries[place].hash == entry.hash, hasSameKey(entries[place]) { return false }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        var entry = entry
        if isKept {
            entry.keptNumber = keptCount
            keptCount += 1
        }
        entries.append(entry)
        if !entry.isNull { count += 1 }
        buckets[bucket] = UInt32(truncatingIfNeeded: entries.count)
        return true
    }

    /// The place of an entry.
    ///
    /// - Parameters:
    ///   - hash: The hash of its key.
    ///   - hasKey: Whether an entry with this hash has the key.
    @inline(__always)
    func place(ofHash hash: UInt32, where hasKey: (JSONEntry) -> Bool) -> Int? {
        if entries.isEmpty { return nil }
        var bucket = Int(hash) & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let place = Int(buckets[bucket]) - 1
            if entries[place].hash == hash, hasKey(entries[place]) { return place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    private mutating func makeBuckets(for capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        buckets = Array(repeating: 0, count: size)
        for place in entries.indices {
            var bucket = Int(entries[place].hash) & (size - 1)
            while buckets[bucket] != 0 { bucket = (bucket + 1) & (size - 1) }
            buckets[bucket] = UInt32(truncatingIfNeeded: place + 1)
        }
    }
}
