/// The types of values around the one that is examined or encoded.
///
/// A type of a program may contain itself, as a tree does, directly or through other types. A question that a collection passes on to
/// the type of its elements would then have no end.
enum NestedTypes {
    /// The question that is asked of types; each has its own types in progress.
    enum Question {
        case sharing, schema, words
    }

    private struct Visit: Equatable {
        let question: Question
        let type: ObjectIdentifier
    }

    // Generic types can contain ever larger ones of themselves.
    private static let mostTypes = 64

    @TaskLocal private static var visits: [Visit] = []

    /// Asks a question of a type, unless the answer is part of the one that is being made for the same type further out.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - question: The question.
    ///   - known: The answer for a type that is inside of itself.
    ///   - answer: Answers the question, and asks it of other types.
    static func visit<Answer>(
        _ type: Any.Type,
        _ question: Question,
        inside known: @autoclosure () -> Answer,
        _ answer: () -> Answer
    ) -> Answer {
        let visit = Visit(question: question, type: ObjectIdentifier(type))
        if visits.count == mostTypes || visits.contains(visit) { return known() }
        return $visits.withValue(visits + [visit], operation: answer)
    }

    @TaskLocal private static var encodedLevels = 0

    /// Encodes a value of a program's type, which may contain itself without end.
    ///
    /// - Throws: `ValueEncodingError` that names the outermost type if the value is nested deeper than stores allow.
    static func encode(
        _ type: Any.Type,
        _ encode: () throws(ValueEncodingError) -> PropertyListValue
    ) throws(ValueEncodingError) -> PropertyListValue {
        guard encodedLevels < PropertyListValue.maximumNesting else { throw .endless }
        let levels = encodedLevels
        do {
            return try $encodedLevels.withValue(levels + 1) {
                Result { () throws(ValueEncodingError) in try encode() }
            }.get()
        } catch {
            guard error.reason == ValueEncodingError.endless.reason else { throw error }
            // The path through all levels would not help.
            let reason =
                "\(ValueEncodingError.nestedTooDeep.reason), as if a value of the type \(type) contained itself"
            throw levels == 0 ? ValueEncodingError(reason: reason) : .endless
        }
    }
}

extension ValueEncodingError {
    /// The error for more levels than stores allow, until the outermost type is known.
    fileprivate static let endless = Self(reason: "it contains itself")
}
