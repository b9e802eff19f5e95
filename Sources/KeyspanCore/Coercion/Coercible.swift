extension Defaults {
    /// A type that a value of another kind can be converted to, by the rules of ``CoercionTable`` or by its own.
    ///
    /// `Bool`, the integers, `Float`, `Double`, `String` and `URL` conform. A type of yours that may come as a launch
    /// argument says how:
    ///
    /// ```swift
    /// enum Verbosity: Int, Defaults.Serializable, Defaults.Coercible {
    ///     case quiet, normal, loud
    ///
    ///     static func coerced(from stored: PropertyListValue) -> Verbosity? {
    ///         switch stored.stringValue {
    ///         case "quiet": .quiet
    ///         case "loud": .loud
    ///         default: CoercionTable.integer(stored).flatMap(Verbosity.init)
    ///         }
    ///     }
    /// }
    /// ```
    public protocol Coercible: Serializable where Bridge.Value == Self {
        /// The value that a stored one of any kind counts as, or `nil` if it counts as none.
        static func coerced(from stored: PropertyListValue) -> Self?

        /// What counts as a value of this type, as a clause for errors; never a value.
        static var coercionRule: String { get }
    }
}

extension Defaults.Coercible {
    public static var coercionRule: String { "it counts as no \(Self.self)" }
}
