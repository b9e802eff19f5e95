extension Defaults {
    /// A part of a whole that people write with a percent sign, such as `50%`.
    ///
    /// ```swift
    /// let sampling = Defaults.Key<Defaults.Percentage>("sampling", default: 12.5)
    /// print(Defaults(InMemoryStore())[sampling].fraction)  // prints: 0.125
    /// ```
    ///
    /// It is stored as text. A number without the sign is an error: `0.5` could mean a half, or half of one percent.
    public struct Percentage: Sendable, Hashable, Comparable, Codable {
        /// The number before the sign: 50 for a half.
        public var percent: Double

        /// The part of one: 0.5 for a half.
        public var fraction: Double { percent / 100 }

        /// Makes a percentage from the number before the sign.
        public init(_ percent: Double) {
            self.percent = percent
        }

        public static func < (left: Self, right: Self) -> Bool { left.percent < right.percent }
    }
}

extension Defaults.Percentage: Defaults.TextSerializable {
    public static var textForms: String { "write it as 50% or 12.5%" }

    public static var textPattern: String? { "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? ?%$" }

    /// The text that is stored, such as `12.5%`.
    public var description: String { DecimalNumeral.text(of: percent) + "%" }

    /// Makes a percentage from its text: a decimal number, one space or none, and the sign; `nil` for any other text.
    public init?(_ text: String) {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        var number = Substring(text.unicodeScalars.dropLast())
        if number.utf8.last == UInt8(ascii: " ") { number.unicodeScalars.removeLast() }
        guard let percent: Double = DecimalNumeral(String(number))?.floatingPoint() else { return nil }
        self.init(percent)
    }
}

extension Defaults.Percentage: ExpressibleByIntegerLiteral {
    /// Makes a percentage; `80` is 80%.
    public init(integerLiteral percent: Int) {
        self.init(Double(percent))
    }
}

extension Defaults.Percentage: ExpressibleByFloatLiteral {
    public init(floatLiteral percent: Double) {
        self.init(percent)
    }
}

extension Defaults.Percentage: FlawExplaining {
    static func flaw(ofText text: String) -> String? {
        DecimalNumeral(text, allowsSpace: true).map { _ in "it has no percent sign" }
    }
}
