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
    private static let shadowedFlag: UInt32 = 1 << 29
    private static let numberBits = shadowedFlag - 1

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - name: The place of the name without its quotes.
    ///   - value: The place of the value.
    ///   - hash: The hash of the key: of the name without escapes, behind those of the groups around it.
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

    /// Whether the text has the key in another place, which counts.
    var isShadowed: Bool {
        get { details & Self.shadowedFlag != 0 }
        set { details = newValue ? details | Self.shadowedFlag : details & ~Self.shadowedFlag }
    }

    /// Whether the key has a value here.
    var isPresent: Bool { details & (Self.nullFlag | Self.shadowedFlag) == 0 }

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

/// An object of a JSON text whose members are entries: the text's own one, or a group in which keys are nested.
struct JSONGroup {
    /// The beginning of the keys in the group, such as `tls.`; empty for the text's own object.
    let prefix: String
    /// The number of the group around it; 0 for the text's own object, which has none.
    let parent: Int
    /// How many objects are around it.
    let depth: Int
    /// The place of the name without its quotes; empty for the text's own object.
    var name: Range<Int>
    /// The braces.
    var open: Int
    var close: Int
    /// Whether the names of the members are sorted by their UTF-8, and no comment is among them.
    var isSorted = true

    /// The first byte of the group as a member.
    var start: Int { name.lowerBound - 1 }
    /// The end of the group as a member.
    var end: Int { close + 1 }
}

/// The entries of a JSON text in their order, found by the hashes of their keys.
///
/// It takes 24 bytes for each entry and 8 to 16 for the table of hashes, and no allocation for each entry; 4 bytes more in a text with
/// groups.
struct JSONIndex {
    /// The entries, in the order of the text.
    private(set) var entries: ContiguousArray<JSONEntry> = []
    /// The text's own object, and then the groups in which keys are nested.
    var groups: [JSONGroup] = []
    // The number of each entry's group; empty as long as all are in the text's own object.
    private var groupNumbers: ContiguousArray<UInt32> = []
    /// The places of keys that the text has more than once: for the place that counts, the other ones.
    private(set) var shadowed: [Int: [Int]] = [:]
    /// The number of entries that have a value.
    private(set) var count = 0
    /// The number of values that are kept once they were read.
    private(set) var keptCount = 0

    // The numbers of the entries, from 1, by their hashes; 0 for a free bucket. The count is a power of two.
    private var buckets: [UInt32] = []

    /// Makes an empty index with room for a number of entries.
    init(capacity: Int = 0) {
        reserve(capacity)
    }

    /// Makes an index of entries.
    ///
    /// - Parameters:
    ///   - entries: The entries. Of those with the same key, all but one are shadowed.
    ///   - groupNumbers: The number of each entry's group; empty if all are in the text's own object.
    ///   - groups: The groups.
    ///   - shadowed: For the places that count, the other ones of the same key.
    ///   - original: An index of entries with the same keys in the same order, if there is one.
    init(
        _ entries: ContiguousArray<JSONEntry>,
        in groupNumbers: ContiguousArray<UInt32>,
        of groups: [JSONGroup],
        shadowed: [Int: [Int]],
        named original: JSONIndex?
    ) {
        self.entries = entries
        self.groupNumbers = groupNumbers
        self.groups = groups
        self.shadowed = shadowed
        for index in entries.indices {
            if entries[index].isPresent { count += 1 }
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

    /// The number of an entry's group.
    @inline(__always)
    func group(ofEntryAt place: Int) -> Int {
        groupNumbers.isEmpty ? 0 : Int(groupNumbers[place])
    }

    /// The beginning of an entry's key, which its group has.
    @inline(__always)
    func prefix(ofEntryAt place: Int) -> String {
        groupNumbers.isEmpty ? "" : groups[Int(groupNumbers[place])].prefix
    }

    /// The keys that the text has more than once: the place that counts and another one, in the order of the text.
    var duplicates: [(counting: Int, shadowed: Int)] {
        shadowed.flatMap { counting, places in places.map { (counting, $0) } }.sorted { $0.1 < $1.1 }
    }

    /// All places of the key that counts at a place.
    func places(with counting: Int) -> [Int] {
        shadowed.isEmpty ? [counting] : [counting] + (shadowed[counting] ?? [])
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
    ///   - group: The number of its group.
    ///   - hasSameKey: Whether an entry with the same hash, behind the prefix of its group, has the same key.
    /// - Returns: The place of the entry with its key, if there is one; nothing was added then.
    @inline(__always)
    mutating func append(
        _ entry: JSONEntry,
        keepingValue isKept: Bool,
        in group: Int,
        unless hasSameKey: (JSONEntry, _ prefix: String) -> Bool
    ) -> Int? {
        if (entries.count + 1) * 2 > buckets.count { makeBuckets(for: max(8, entries.count * 2)) }
        var bucket = Int(entry.hash) & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let place = Int(buckets[bucket]) - 1
            if entries[place].hash == entry.hash, hasSameKey(entries[place], prefix(ofEntryAt: place)) { return place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        append(entry, keepingValue: isKept, in: group)
        buckets[bucket] = UInt32(truncatingIfNeeded: entries.count)
        return nil
    }

    @inline(__always)
    private mutating func append(_ entry: JSONEntry, keepingValue isKept: Bool, in group: Int) {
        var entry = entry
        if isKept {
            entry.keptNumber = keptCount
            keptCount += 1
        }
        if group != 0 || !groupNumbers.isEmpty {
            while groupNumbers.count < entries.count { groupNumbers.append(0) }
            groupNumbers.append(UInt32(truncatingIfNeeded: group))
        }
        entries.append(entry)
        if entry.isPresent { count += 1 }
    }

    /// Adds an entry whose key is at another place as well.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - isKept: Whether its value is kept once it was read.
    ///   - group: The number of its group.
    ///   - present: The place of the key that counts now.
    ///   - isCounting: Whether the new place counts from now on.
    mutating func append(
        duplicate entry: JSONEntry,
        keepingValue isKept: Bool,
        in group: Int,
        of present: Int,
        counting isCounting: Bool
    ) {
        var entry = entry
        let new = entries.count
        guard isCounting else {
            entry.isShadowed = true
            append(entry, keepingValue: isKept, in: group)
            shadowed[present, default: []].append(new)
            return
        }
        if entries[present].isPresent { count -= 1 }
        entries[present].isShadowed = true
        append(entry, keepingValue: isKept, in: group)
        shadowed[new] = (shadowed.removeValue(forKey: present) ?? []) + [present]
        var bucket = Int(entry.hash) & (buckets.count - 1)
        while buckets[bucket] != UInt32(truncatingIfNeeded: present + 1) { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = UInt32(truncatingIfNeeded: new + 1)
    }

    /// The place of an entry that counts.
    ///
    /// - Parameters:
    ///   - hash: The hash of its key.
    ///   - hasKey: Whether an entry with this hash, behind the prefix of its group, has the key.
    @inline(__always)
    func place(ofHash hash: UInt32, where hasKey: (JSONEntry, _ prefix: String) -> Bool) -> Int? {
        if entries.isEmpty { return nil }
        var bucket = Int(hash) & (buckets.count - 1)
        while buckets[bucket] != 0 {
            let place = Int(buckets[bucket]) - 1
            if entries[place].hash == hash, hasKey(entries[place], prefix(ofEntryAt: place)) { return place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    private mutating func makeBuckets(for capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        buckets = Array(repeating: 0, count: size)
        for place in entries.indices where !entries[place].isShadowed {
            var bucket = Int(entries[place].hash) & (size - 1)
            while buckets[bucket] != 0 { bucket = (bucket + 1) & (size - 1) }
            buckets[bucket] = UInt32(truncatingIfNeeded: place + 1)
        }
    }
}
