/// The reasons why values do not count as values of another type.
enum CoercionFlaw {
    /// The reason, as a clause that contains no part of the value.
    ///
    /// - Parameters:
    ///   - stored: A value that ``Defaults/Coercible/coerced(from:)`` rejects.
    ///   - type: The type.
    static func reason(for stored: PropertyListValue, as type: any Defaults.Coercible.Type) -> String {
        guard case .string(let text) = stored, let numeral = DecimalNumeral(text, allowsSpace: true) else {
            return type.coercionRule
        }
        return switch type {
        case let type as any StandardInteger.Type: reason(for: numeral, as: type)
        case is any BinaryFloatingPoint.Type: "the number is too large"
        default: type.coercionRule
        }
    }

    private static func reason<Integer: StandardInteger>(for numeral: DecimalNumeral, as type: Integer.Type) -> String {
        numeral.isWhole
            ? "it is not between \(Integer.min) and \(Integer.max)"
            : "an integer has neither a fraction nor an exponent"
    }
}
