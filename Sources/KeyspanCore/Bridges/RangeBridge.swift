extension Defaults {
    /// `Range` or `ClosedRange`, with the members common to both.
    public protocol Range<Bound> {
        /// The type of the bounds.
        associatedtype Bound: Comparable, Defaults.Serializable

        /// The lower bound.
        var lowerBound: Bound { get }

        /// The upper bound.
        var upperBound: Bound { get }

        /// Makes a range from bounds in order.
        init(uncheckedBounds: (lower: Bound, upper: Bound))
    }

    /// A range that keys can have as their value.
    public typealias RangeSerializable = Defaults.Range & Defaults.Serializable

    /// Stores a range as an array of its two bounds, the lower one first.
    ///
    /// Bounds that are out of order are an error, never a range.
    public struct RangeBridge<T: RangeSerializable>: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: T?) -> [T.Bound.Serializable]? {
            guard let value else { return nil }
            return ArrayBridge().serialize([value.lowerBound, value.upperBound])
        }

        @_spi(StoreAuthors) public func deserialize(_ object: [T.Bound.Serializable]?) -> T? {
            guard let bounds = ArrayBridge<T.Bound>().deserialize(object) else { return nil }
            return Self.makeRange(bounds)
        }

        @_spi(StoreAuthors) public func encode(_ value: T) throws(ValueEncodingError) -> PropertyListValue {
            // Not as an array of bounds, whose unspecialized generic code costs more than the bounds.
            .array([try Self.encode(value.lowerBound, at: 0), try Self.encode(value.upperBound, at: 1)])
        }

        private static func encode(_ bound: T.Bound, at index: Int) throws(ValueEncodingError) -> PropertyListValue {
            do {
                return try T.Bound.encodePart(bound)
            } catch {
                throw error.nested(under: .index(index))
            }
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> T {
            // Both bounds are needed, so they are read strictly.
            var strict = context.strict
            guard let value = Self.makeRange(try T.Bound.decodeElements(of: stored, in: &strict)) else {
                throw .unreadable(stored, reason: "a range is two bounds, the lower one first")
            }
            return value
        }

        private static func makeRange(_ bounds: [T.Bound]) -> T? {
            guard bounds.count == 2, bounds[0] <= bounds[1] else { return nil }
            return T(uncheckedBounds: (lower: bounds[0], upper: bounds[1]))
        }
    }
}

extension Defaults.RangeBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        StoredSchema.array(of: T.Bound.storedSchema(levels: levels)).merging(["minItems": 2, "maxItems": 2]) { $1 }
    }
}

extension Range: Defaults.Range, Defaults.Serializable where Bound: Defaults.Serializable {
    @_spi(StoreAuthors) public static var sharesDecodedValues: Bool { Bound.sharesDecodedValues }

    public static var bridge: Defaults.RangeBridge<Range> { Defaults.RangeBridge() }
}

extension ClosedRange: Defaults.Range, Defaults.Serializable where Bound: Defaults.Serializable {
    @_spi(StoreAuthors) public static var sharesDecodedValues: Bool { Bound.sharesDecodedValues }

    public static var bridge: Defaults.RangeBridge<ClosedRange> { Defaults.RangeBridge() }
}
