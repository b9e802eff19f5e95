internal import KeyspanCore

/// The limits of iCloud's key-value store for one program and user.
///
/// - SeeAlso: Apple's documentation of `NSUbiquitousKeyValueStore` for numbers and sizes, and Apple's *iCloud Design Guide*
///   for the length of names, which do not count toward the size.
struct UbiquitousLimits {
    var maximumCount = 1024
    var maximumSize = 1_048_576
    var maximumNameSize = 64

    /// Throws if a change makes the table exceed the limits; a change that makes it smaller is always allowed.
    ///
    /// Costs O(*n*) in the size of the table.
    func check(_ change: PropertyListChange, resultingIn table: PropertyListTable, store: String) throws(StoreError) {
        let written = change.entries.filter { $0.new != nil }
        for entry in written where entry.key.utf8.count > maximumNameSize {
            throw StoreError(
                .invalidKey,
                store: store,
                key: entry.key,
                reason: "iCloud allows keys of at most \(maximumNameSize) bytes, and this has \(entry.key.utf8.count)",
                remedy: "give the key a shorter name"
            )
        }
        let added = written.filter { $0.old == nil }
        if table.count > maximumCount, let key = added.first?.key {
            throw StoreError(
                .tooLarge,
                store: store,
                key: key,
                reason: "iCloud holds at most \(maximumCount) keys",
                remedy: "remove others, or put several values into one dictionary"
            )
        }
        let growth = change.entries.reduce(0) { $0 + ($1.new?.storedSize ?? 0) - ($1.old?.storedSize ?? 0) }
        let size = table.reduce(0) { $0 + $1.value.storedSize }
        if growth > 0, size > maximumSize {
            throw StoreError(
                .tooLarge,
                store: store,
                key: written.max { ($0.new?.storedSize ?? 0) < ($1.new?.storedSize ?? 0) }?.key,
                reason: "iCloud holds at most \(maximumSize) bytes of values, and there would be \(size)",
                remedy: "store less, or keep large values in files"
            )
        }
    }
}

extension PropertyListValue {
    /// The approximate size of the value in a binary property list, in bytes.
    var storedSize: Int {
        switch self {
        case .boolean: 1
        case .integer, .real, .date: 9
        case .string(let text): Self.headerSize + text.utf8.count
        case .data(let data): Self.headerSize + data.count
        case .array(let elements): elements.reduce(Self.headerSize) { $0 + Self.referenceSize + $1.storedSize }
        case .dictionary(let entries):
            entries.reduce(Self.headerSize) {
                $0 + 2 * Self.referenceSize + Self.headerSize + $1.key.utf8.count + $1.value.storedSize
            }
        }
    }

    private static var headerSize: Int { 4 }

    private static var referenceSize: Int { 2 }
}
