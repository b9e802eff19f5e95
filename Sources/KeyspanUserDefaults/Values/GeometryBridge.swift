public import Foundation
public import KeyspanCore

#if canImport(CoreGraphics)
public import CoreGraphics
#endif

extension Defaults {
    /// Stores a point, a size or another geometric value as numbers under the names of its properties.
    ///
    /// DefaultsWrapper writes the same form. Reading also accepts integers in place of reals, and the type's own `Codable` form,
    /// either as JSON text in a string or in data, or as an array: for example a point as `[1, 2]`.
    public struct GeometryBridge<Value: Codable & Sendable>: Bridge, Sendable {
        private let stored: @Sendable (Value) -> PropertyListValue
        private let value: @Sendable (PropertyListValue) throws(ValueDecodingError) -> Value?

        /// Makes a bridge from the numbers of a value, and a value from its numbers.
        init<Numbers: PropertyListConvertible & Sendable>(
            numbers: @escaping @Sendable (Value) -> Numbers,
            value: @escaping @Sendable (Numbers) -> Value?
        ) {
            stored = { numbers($0).propertyListValue }
            self.value = { (stored) throws(ValueDecodingError) in value(try Numbers(propertyListValue: stored)) }
        }

        public func serialize(_ value: Value?) -> PropertyListValue? { value.map(stored) }

        public func deserialize(_ object: PropertyListValue?) -> Value? {
            // `decode(_:in:)` gives the reason.
            object.flatMap { try? value($0) }
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            do throws(ValueDecodingError) {
                if let value = try value(stored) { return value }
            } catch {
                guard case .typeMismatch = error.cause, error.path.steps.isEmpty, stored.kind != .dictionary else {
                    throw error
                }
                return try StructuredCodableBridge().decode(stored, in: &context)
            }
            throw .unreadable(stored, reason: "it does not have the numbers of a \(Value.self)")
        }
    }
}

/// Stored as a real; an integer is read too if it is exact.
extension CGFloat: PropertyListConvertible, Defaults.Serializable {
    public var propertyListValue: PropertyListValue { .real(Double(self)) }

    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        self.init(try NativeType(propertyListValue: stored))
    }
}

/// Stored as a dictionary of `x` and `y`.
extension CGPoint: Defaults.Serializable {
    public static let bridge = Defaults.GeometryBridge(numbers: \CGPoint.numbers, value: CGPoint.init(numbers:))

    fileprivate var numbers: [String: Double] { ["x": Double(x), "y": Double(y)] }

    fileprivate init?(numbers: [String: Double]) {
        guard let x = numbers["x"], let y = numbers["y"] else { return nil }
        self.init(x: x, y: y)
    }
}

/// Stored as a dictionary of `width` and `height`.
extension CGSize: Defaults.Serializable {
    public static let bridge = Defaults.GeometryBridge(numbers: \CGSize.numbers, value: CGSize.init(numbers:))

    fileprivate var numbers: [String: Double] { ["width": Double(width), "height": Double(height)] }

    fileprivate init?(numbers: [String: Double]) {
        guard let width = numbers["width"], let height = numbers["height"] else { return nil }
        self.init(width: width, height: height)
    }
}

/// Stored as a dictionary of `origin` and `size`, which have the stored forms of a point and a size.
extension CGRect: Defaults.Serializable {
    public static let bridge = Defaults.GeometryBridge<CGRect>(
        numbers: { ["origin": $0.origin.numbers, "size": $0.size.numbers] },
        value: { numbers in
            guard
                let origin = numbers["origin"].flatMap(CGPoint.init(numbers:)),
                let size = numbers["size"].flatMap(CGSize.init(numbers:))
            else { return nil }
            return CGRect(origin: origin, size: size)
        }
    )
}

#if canImport(CoreGraphics)
/// Stored as a dictionary of `dx` and `dy`.
extension CGVector: Defaults.Serializable {
    public static let bridge = Defaults.GeometryBridge<CGVector>(
        numbers: { ["dx": Double($0.dx), "dy": Double($0.dy)] },
        value: { numbers in
            guard let dx = numbers["dx"], let dy = numbers["dy"] else { return nil }
            return CGVector(dx: dx, dy: dy)
        }
    )
}

/// Stored as an array of the six numbers `a`, `b`, `c`, `d`, `tx` and `ty`.
extension CGAffineTransform: Defaults.Serializable {
    public static let bridge = Defaults.GeometryBridge<CGAffineTransform>(
        numbers: { [$0.a, $0.b, $0.c, $0.d, $0.tx, $0.ty].map { Double($0) } },
        value: { numbers in
            guard numbers.count == 6 else { return nil }
            return CGAffineTransform(
                a: numbers[0],
                b: numbers[1],
                c: numbers[2],
                d: numbers[3],
                tx: numbers[4],
                ty: numbers[5]
            )
        }
    )
}
#endif
