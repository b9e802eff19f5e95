/// What the bridges of arrays, sets and other lists share: elements to a stored array, and back.
///
/// Inlinable, because the runtime's generic code costs ten times as much for each element as code for its type.
extension Defaults.Serializable {
    /// The elements as a stored array.
    ///
    /// - Throws: ``ValueEncodingError`` with the index of the element that has no stored form.
    @inlinable
    static func encodeElements(
        _ elements: some Sequence<Self>,
        as encode: (Self) throws(ValueEncodingError) -> PropertyListValue = encodePart
    ) throws(ValueEncodingError) -> [PropertyListValue] {
        var encoded: [PropertyListValue] = []
        encoded.reserveCapacity(elements.underestimatedCount)
        for element in elements {
            do {
                encoded.append(try encode(element))
            } catch {
                throw error.nested(under: .index(encoded.count))
            }
        }
        return encoded
    }

    /// The elements of a stored array, in its order.
    ///
    /// - Throws: ``ValueDecodingError`` if the value is no array, or for an element if reading is strict.
    @inlinable
    static func decodeElements(
        of stored: PropertyListValue,
        in context: inout Defaults.DecodingContext,
        as decode: (PropertyListValue, inout Defaults.DecodingContext) throws(ValueDecodingError) -> Self = decode
    ) throws(ValueDecodingError) -> [Self] {
        guard case .array(let encoded) = stored else { throw .typeMismatch(expected: .array, found: stored) }
        var elements: [Self] = []
        elements.reserveCapacity(encoded.count)
        for (index, encoded) in encoded.enumerated() {
            let element = try context.part(at: .index(index)) { (context) throws(ValueDecodingError) in
                try decode(encoded, &context)
            }
            if let element { elements.append(element) }
        }
        return elements
    }

    /// The stored form of a value that is a part of a collection, where `nil` has none.
    @inlinable
    static func encodePart(_ value: Self) throws(ValueEncodingError) -> PropertyListValue {
        guard let encoded = try encode(value) else {
            throw ValueEncodingError(reason: "nil has no stored form inside a collection")
        }
        return encoded
    }
}
