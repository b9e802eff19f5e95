extension Array: PropertyListConvertible where Element: PropertyListConvertible {
    public var propertyListValue: PropertyListValue { .array(map(\.propertyListValue)) }

    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .array(let elements) = stored else { throw .typeMismatch(expected: .array, found: stored) }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do {
                append(try Element(propertyListValue: element))
            } catch {
                throw error.nested(under: .index(index))
            }
        }
    }
}

extension Dictionary: PropertyListConvertible where Key == String, Value: PropertyListConvertible {
    public var propertyListValue: PropertyListValue {
        var entries = PropertyListDictionary(minimumCapacity: count)
        for (name, value) in self {
            entries[name] = value.propertyListValue
        }
        return .dictionary(entries)
    }

    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .dictionary(let entries) = stored else { throw .typeMismatch(expected: .dictionary, found: stored) }
        self = [:]
        reserveCapacity(entries.count)
        for (name, entry) in entries {
            do throws(ValueDecodingError) {
                if let index = index(forKey: name) {
                    throw .equalNames(name, of: entry, after: self[index].key)
                }
                self[name] = try Value(propertyListValue: entry)
            } catch {
                throw error.nested(under: .name(name))
            }
        }
    }
}
