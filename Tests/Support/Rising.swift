@_spi(StoreAuthors) package import KeyspanCore

/// A value in two entries whose numbers rise; the name of the key has their names, as in `low-high`.
package struct Rising: Equatable, Defaults.Serializable {
    package var low: Int
    package var high: Int

    package init(low: Int, high: Int) {
        (self.low, self.high) = (low, high)
    }

    package struct Bridge: Defaults.DirectBridge {
        package func entries(of key: String) -> [String] { key.split(separator: "-").map(String.init) }

        package func get(key: String, store: PropertyListTable) throws(ValueDecodingError) -> Rising? {
            let numbers = entries(of: key).compactMap { store[$0]?.integerValue?.int64 }
            guard numbers.count == 2 else { return nil }
            guard numbers[0] <= numbers[1] else { throw .unreadable("numbers", reason: "the numbers fall") }
            return Rising(low: Int(numbers[0]), high: Int(numbers[1]))
        }

        package func save(key: String, value: Rising?, store: inout PropertyListEdit) {
            let names = entries(of: key)
            store[names[0]] = value.map { .integer(PropertyListInteger($0.low)) }
            store[names[1]] = value.map { .integer(PropertyListInteger($0.high)) }
        }
    }

    package static let bridge = Bridge()
}
