/// The reasons why values do not count as values of another type.
enum CoercionFlaw {
    /// The reason, as a clause that contains no part of the value.
    ///
    /// - Parameters:
    ///   - stored: A value that ``Defaults/Coercible/coerced(from:)`` rejects.
    ///   - type: The type.
    static func reason(for stored: PropertyListValue, as type: any Defaults.Coercible.Type) -> String {
        guard let text = CoercionTable.string(stored), let numeral = DecimalNumeral(text, allowsSpace: true) else {
            return type.coercionRule
        }
        return switch type {
        case let type as any StandardInteger.Type:
            // A stored real is truncated, so only its range is wrong.
            numeral.isWhole || stored.kind == .real
                ? range(of: type) : "an integer has neither a fraction nor an exponent"
        case let type as any BinaryFloatingPoint.Type: reason(for: numeral, as: type)
        default: type.coercionRule
        }
    }

    private static func range<Integer: StandardInteger>(of type: Integer.Type) -> String {
        "it is not between \(Integer.min) and \(Integer.max)"
    }

    private static func reason<Number: BinaryFloatingPoint>(for numeral: DecimalNumeral, as type: Number.Type) -> String
    {
        if numeral.integer != nil {
            return "a floating-point number of \(MemoryLayout<Number>.size * 8) bits cannot hold this integer exactly"
        }
        let isBelowOne = numeral.digits.count + numeral.exponent <= 0
        return isBelowOne ? "the number is too close to zero" : "the number is too large"
    }
}
