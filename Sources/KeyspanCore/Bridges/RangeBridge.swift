extension Defaults {
    /// What the two range types have in common.
    public protocol Range<Bound> {
        /// The type of the bounds.
        associatedtype Bound: Comparable, Defaults.Serializable

        /// The lower bound.
        var lowerBound: Bound { get }

        /// The upper bound.
        var upperBound: Bound { get }

        /// Makes a range from bounds that are in order.
        init(uncheckedBounds: (lower: Bound, upper: Bound))
    }

    /// A range that keys can have as their value.
    public typealias RangeSerializable = Defaults.Range & Defaults.Serializable

    /// Stores a range as an array of its two bounds, the lower one first.
    ///
    /// Bounds that are out of order are an error, never a range.
    public struct RangeBridge<T: RangeSerializable>: Bridge, Sendable {
        /// The range.
        public typealias Value = T

        /// The two bounds.
        public typealias Serializable = [T.Bound.Serializable]

        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Serializable? {
            guard let value else { return nil }
            return ArrayBridge().serialize([value.lowerBound, value.upperBound])
        }

        public func deserialize(_ object: Serializable?) -> Value? {
            guard let bounds = ArrayBridge<T.Bound>().deserialize(object) else { return nil }
            return Self.makeRange(bounds)
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .array(try T.Bound.encodeElements([value.lowerBound, value.upperBound]))
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            // A range without one of its bounds is no range, so the bounds are read strictly.
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

extension Range: Defaults.Range, Defaults.Serializable where Bound: Defaults.Serializable {
    public static var sharesDecodedValues: Bool { Bound.sharesDecodedValues }

    public static var bridge: Defaults.RangeBridge<Range> { Defaults.RangeBridge() }
}

extension ClosedRange: Defaults.Range, Defaults.Serializable where Bound: Defaults.Serializable {
    public static var sharesDecodedValues: Bool { Bound.sharesDecodedValues }

    public static var bridge: Defaults.RangeBridge<ClosedRange> { Defaults.RangeBridge() }
}
