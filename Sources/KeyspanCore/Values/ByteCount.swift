extension Defaults {
    /// A number of bytes, such as a limit, which people write as `64KiB` or `1.5GB`.
    ///
    /// ```swift
    /// let maxUpload = Defaults.Key<Defaults.ByteCount>("maxUpload", default: .mebibytes(10))
    /// let defaults = Defaults(InMemoryStore(["maxUpload": "1.5GB"]))
    /// print(defaults[maxUpload].bytes)  // prints: 1500000000
    /// ```
    ///
    /// It is stored as text, in the largest unit of which it is a whole number. Reading accepts a decimal number with one of the units
    /// `B`, `kB`, `MB`, `GB`, `TB`, `PB`, `EB` (powers of 1000) and `KiB`, `MiB`, `GiB`, `TiB`, `PiB`, `EiB` (powers of 1024), in upper or
    /// lower case and with or without a space before it, and a whole number without a unit, of bytes. The number of bytes must be whole.
    ///
    /// - SeeAlso: IEC 80000-13:2008 for the units.
    public struct ByteCount: Sendable, Hashable, Comparable {
        /// The number of bytes.
        public var bytes: UInt64

        /// Makes a number of bytes.
        public init(_ bytes: UInt64) {
            self.bytes = bytes
        }

        /// Makes a number of bytes from its text; `nil` for any other text, a fraction of a byte, and 2^64 bytes or more.
        public init?(_ text: String) {
            guard let bytes = ByteCountText.bytes(of: text) else { return nil }
            self.bytes = bytes
        }

        /// A number of units of 1024 bytes.
        public static func kibibytes(_ count: UInt32) -> ByteCount { ByteCount(UInt64(count) << 10) }

        /// A number of units of 1024² bytes.
        public static func mebibytes(_ count: UInt32) -> ByteCount { ByteCount(UInt64(count) << 20) }

        /// A number of units of 1024³ bytes.
        public static func gibibytes(_ count: UInt32) -> ByteCount { ByteCount(UInt64(count) << 30) }

        public static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }
    }
}

extension Defaults.ByteCount: CustomStringConvertible {
    /// The text that is stored, such as `64KiB`.
    public var description: String { ByteCountText.text(for: bytes) }
}

/// Encoded as its text; a whole number of bytes is decoded as well.
extension Defaults.ByteCount: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let bytes = try? container.decode(UInt64.self) {
            self.init(bytes)
        } else if let count = Self(try container.decode(String.self)) {
            self = count
        } else {
            let reason = "it is not a number of bytes; \(ByteCountText.forms)"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Defaults.ByteCount: ExpressibleByIntegerLiteral {
    public init(integerLiteral bytes: UInt64) {
        self.init(bytes)
    }
}

/// Converts between numbers of bytes and the texts in which people write them.
enum ByteCountText {
    /// The forms, as the end of an error's sentence.
    static let forms = "write it as 64KiB, 1.5GB or a whole number of bytes"

    /// The units, the largest first.
    static let units: [(name: String, bytes: UInt64)] = [
        ("EiB", 1 << 60), ("EB", 1_000_000_000_000_000_000), ("PiB", 1 << 50), ("PB", 1_000_000_000_000_000),
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
        ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1_000), ("B", 1),
    ]

    static func text(for bytes: UInt64) -> String {
        if bytes == 0 { return "0B" }
        for unit in units where bytes.isMultiple(of: unit.bytes) { return "\(bytes / unit.bytes)\(unit.name)" }
        return "\(bytes)B"
    }

    static func bytes(of text: String) -> UInt64? {
        var text = text
        return text.withUTF8 { bytes in
            var cursor = TextCursor(bytes)
            var (digits, scale): (UInt128, Int?) = (0, nil)
            let start = cursor.position
            while true {
                if let digit = cursor.takeDigit() {
                    // Far beyond the range, and far below the limit of the type.
                    if digits > 1_000_000_000_000_000_000_000_000_000_000 { return nil }
                    digits = digits * 10 + UInt128(digit)
                    scale = scale.map { $0 + 1 }
                } else if scale == nil, cursor.position > start, cursor.consume(UInt8(ascii: ".")) {
                    scale = 0
                } else {
                    break
                }
            }
            if cursor.position == start || scale == 0 { return nil }
            _ = cursor.consume(UInt8(ascii: " "))
            let name = cursor.take { _ in true }
            let unit = name.isEmpty && scale == nil && bytes.last?.isDigit == true ? 1 : unit(named: name)
            guard let unit else { return nil }
            let (product, hasOverflown) = digits.multipliedReportingOverflow(by: UInt128(unit))
            if hasOverflown { return nil }
            var count = product
            for _ in 0..<(scale ?? 0) {
                guard count.isMultiple(of: 10) else { return nil }
                count /= 10
            }
            return UInt64(exactly: count)
        }
    }

    private static func unit(named name: UnsafeBufferPointer<UInt8>) -> UInt64? {
        // The letters are ASCII, so that bit 5 is their case.
        units.first { unit in
            unit.name.utf8.count == name.count
                && zip(unit.name.utf8, name).allSatisfy { $0 | 0x20 == $1 | 0x20 && $1 >= 0x41 }
        }?.bytes
    }
}
