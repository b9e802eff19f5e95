extension Defaults.Rule where Value: Comparable & Sendable {
    /// A value within bounds, both included.
    public static func range(_ range: ClosedRange<Value>) -> Self {
        Self(
            "between \(range.lowerBound) and \(range.upperBound)",
            schema: schema(minimum: range.lowerBound, maximum: range.upperBound)
        ) { range.contains($0) }
    }

    /// A value that is not below a bound.
    public static func range(_ range: PartialRangeFrom<Value>) -> Self {
        Self("at least \(range.lowerBound)", schema: schema(minimum: range.lowerBound)) { range.contains($0) }
    }

    /// A value that is not above a bound.
    public static func range(_ range: PartialRangeThrough<Value>) -> Self {
        Self("at most \(range.upperBound)", schema: schema(maximum: range.upperBound)) { range.contains($0) }
    }

    private static func schema(minimum: Value? = nil, maximum: Value? = nil) -> PropertyListDictionary {
        var schema: PropertyListDictionary = [:]
        schema["minimum"] = number(minimum)
        schema["maximum"] = number(maximum)
        return schema
    }

    /// The bound, if it is a number: JSON Schema compares nothing else.
    private static func number(_ bound: Value?) -> PropertyListValue? {
        guard let stored = (bound as? any PropertyListConvertible)?.propertyListValue else { return nil }
        return switch stored {
        case .integer, .real: stored
        default: nil
        }
    }
}

extension Defaults.Rule where Value: Equatable & Sendable {
    /// One of some values.
    public static func oneOf(_ values: Value...) -> Self {
        let stored = values.compactMap { ($0 as? any PropertyListConvertible)?.propertyListValue }
        return Self(
            "one of \(values.map { String(describing: $0) }.joined(separator: ", "))",
            schema: stored.count == values.count ? ["enum": .array(stored)] : [:]
        ) { values.contains($0) }
    }
}

extension Defaults.Rule where Value: Collection & SendableMetatype {
    /// A text or a collection that is not empty.
    public static var notEmpty: Self { Self("not empty") { !$0.isEmpty } }

    /// A text or a collection with a number of elements within bounds; the elements of a text are its characters.
    public static func count(_ range: ClosedRange<Int>) -> Self {
        Self("of \(range.lowerBound) to \(range.upperBound) elements") { range.contains($0.count) }
    }
}

extension Defaults.Rule where Value == String {
    /// A text that a regular expression matches as a whole.
    ///
    /// - Parameter pattern: The expression, in the syntax of `Regex`. If it is not a valid one, no text satisfies the
    ///   rule, and the requirement says why.
    public static func pattern(_ pattern: String) -> Self {
        do {
            _ = try Regex(pattern)
        } catch {
            return Self("matched by \(pattern), which is no regular expression") { _ in false }
        }
        return Self("matched by \(pattern)", schema: ["pattern": .string("^(?:\(pattern))$")]) { text in
            // A regular expression is not `Sendable`, so each check makes its own; writes of such keys are rare.
            guard let expression = try? Regex(pattern) else { return false }
            return text.wholeMatch(of: expression) != nil
        }
    }
}
