import KeyspanCore

extension JSONReader {
    /// Reads a string, from its opening quote to its closing one.
    mutating func readString() throws(JSONFault) -> String {
        guard cursor.consume(ASCII.quote) else { throw JSONFault(.value, at: cursor.position) }
        let start = cursor.position
        let isASCII = cursor.skipPlainText(upTo: ASCII.quote, ASCII.backslash)
        guard cursor.current == ASCII.quote else { return try readStringWithEscapes(from: start) }
        guard let text = cursor.text(from: start, isASCII: isASCII) else { throw JSONFault(.invalidUTF8, at: start) }
        _ = cursor.consume(ASCII.quote)
        return text
    }

    /// Reads the rest of a string whose plain beginning has been skipped.
    private mutating func readStringWithEscapes(from start: Int) throws(JSONFault) -> String {
        unescaped.removeAll(keepingCapacity: true)
        var plainStart = start
        while true {
            cursor.append(from: plainStart, to: &unescaped)
            let stop = cursor.position
            switch cursor.take() {
            case ASCII.quote?:
                // Each escape stands for whole scalars, so the pieces are valid if and only if the whole text is.
                guard let text = String(validating: unescaped, as: UTF8.self) else {
                    throw JSONFault(.invalidUTF8, at: start)
                }
                return text
            case ASCII.backslash?:
                try readEscape(from: stop)
            case nil:
                throw JSONFault(.closingQuote, at: stop)
            default:
                throw JSONFault(.controlCharacter, at: stop)
            }
            plainStart = cursor.position
            cursor.skipPlainText(upTo: ASCII.quote, ASCII.backslash)
        }
    }

    /// Reads an escape after its backslash.
    private mutating func readEscape(from backslash: Int) throws(JSONFault) {
        guard let character = cursor.take() else { throw JSONFault(.closingQuote, at: cursor.position) }
        switch character {
        case ASCII.quote, ASCII.backslash, UInt8(ascii: "/"): unescaped.append(character)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(ASCII.lineFeed)
        case UInt8(ascii: "r"): unescaped.append(ASCII.carriageReturn)
        case UInt8(ascii: "t"): unescaped.append(ASCII.tab)
        case UInt8(ascii: "u"): try readUnicodeEscape(from: backslash)
        default: throw JSONFault(.escape, at: backslash)
        }
    }

    private mutating func readUnicodeEscape(from backslash: Int) throws(JSONFault) {
        let first = try readHexDigits()
        if let scalar = Unicode.Scalar(first) {
            unescaped.append(contentsOf: scalar.utf8)
            return
        }
        guard UTF16.isLeadSurrogate(first) else { throw JSONFault(.loneSurrogate, at: backslash) }
        guard cursor.consume(ASCII.backslash), cursor.consume(UInt8(ascii: "u")) else {
            if cursor.isAtEnd { throw JSONFault(.closingQuote, at: cursor.position) }
            throw JSONFault(.loneSurrogate, at: backslash)
        }
        let second = try readHexDigits()
        let code = 0x1_0000 + UInt32(first - 0xD800) << 10 + UInt32(second & 0x3FF)
        guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(code) else {
            throw JSONFault(.loneSurrogate, at: backslash)
        }
        unescaped.append(contentsOf: scalar.utf8)
    }

    private mutating func readHexDigits() throws(JSONFault) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            let start = cursor.position
            guard let character = cursor.take() else { throw JSONFault(.closingQuote, at: start) }
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else {
                throw JSONFault(.hexDigits, at: start)
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }
}

extension JSONReader {
    /// Reads a number, as an integer if it has neither a fraction nor an exponent.
    mutating func readNumber() throws(JSONFault) -> PropertyListValue {
        let start = cursor.position
        var number = DecimalNumber()
        number.isNegative = cursor.consume(ASCII.minus)
        try readWholeDigits(of: &number)

        var isReal = false
        if cursor.consume(ASCII.point) {
            isReal = true
            try readFraction(of: &number)
        }
        if cursor.consume(UInt8(ascii: "e")) || cursor.consume(UInt8(ascii: "E")) {
            isReal = true
            try readExponent(of: &number)
        }
        if isReal {
            return .real(try real(number, from: start))
        }
        if number.isNegative && number.digits == 0 && !number.isTruncated {
            return .real(-0.0)
        }
        guard let integer = number.integer else { throw JSONFault(.integerRange, at: start) }
        return .integer(integer)
    }

    private mutating func readWholeDigits(of number: inout DecimalNumber) throws(JSONFault) {
        let start = cursor.position
        guard let first = cursor.takeDigit() else { throw JSONFault(.digit, at: start) }
        number.append(first)
        while let digit = cursor.takeDigit() {
            if first == 0 { throw JSONFault(.leadingZero, at: start) }
            number.append(digit)
        }
    }

    private mutating func readFraction(of number: inout DecimalNumber) throws(JSONFault) {
        let start = cursor.position
        while let digit = cursor.takeDigit() {
            number.append(digit)
        }
        let count = cursor.position - start
        guard count > 0 else { throw JSONFault(.digit, at: start) }
        number.exponent -= count
    }

    private mutating func readExponent(of number: inout DecimalNumber) throws(JSONFault) {
        let isNegative = cursor.consume(ASCII.minus)
        if !isNegative { _ = cursor.consume(ASCII.plus) }
        guard let first = cursor.takeDigit() else { throw JSONFault(.digit, at: cursor.position) }
        var exponent = Int(first)
        while let digit = cursor.takeDigit() {
            // A larger exponent only needs to stay outside the range in which the number is exact.
            exponent = min(exponent * 10 + Int(digit), 1_000_000)
        }
        number.exponent += isNegative ? -exponent : exponent
    }

    /// The nearest `Double`, which keeps the digits; computed at once where that is known before.
    private func real(_ number: DecimalNumber, from start: Int) throws(JSONFault) -> Double {
        if let value = number.exactReal { return value }
        do throws(RealNumeral.Flaw) {
            return try RealNumeral.value(of: String(decoding: cursor.range(from: start), as: UTF8.self))
        } catch {
            // The form was checked.
            throw JSONFault(error == .digits ? .realDigits : .realRange, at: start)
        }
    }
}

/// A decimal number as it is read digit by digit: `digits` times ten to the power of `exponent`.
struct DecimalNumber {
    var isNegative = false
    private(set) var digits: UInt64 = 0
    var exponent = 0

    /// Whether there were more digits than `digits` can hold, so that it means nothing.
    private(set) var isTruncated = false

    mutating func append(_ digit: UInt8) {
        let (shifted, first) = digits.multipliedReportingOverflow(by: 10)
        let (sum, second) = shifted.addingReportingOverflow(UInt64(digit))
        isTruncated = isTruncated || first || second
        digits = sum
    }

    /// The number without its exponent, or `nil` if it is outside -2^63 to 2^64-1.
    var integer: PropertyListInteger? {
        guard !isTruncated else { return nil }
        guard isNegative else { return PropertyListInteger(digits) }
        // The magnitude of Int64.min has no positive Int64, but the same bits.
        guard digits <= Int64.min.magnitude else { return nil }
        return PropertyListInteger(Int64(truncatingIfNeeded: 0 &- digits))
    }

    /// The nearest `Double`, where one multiplication or division of two exact numbers gives it and it keeps the digits;
    /// otherwise `nil`.
    ///
    /// With digits up to 2^52 a unit of the last one is no less than the distance between two `Double`s, so the nearest one
    /// rounds to them; see ``RealNumeral``. Integers up to 2^53 and powers of ten up to 10^22 are exact in a `Double`, and IEEE 754 rounds one operation
    /// correctly (W. D. Clinger, *How to Read Floating Point Numbers Accurately*, 1990).
    var exactReal: Double? {
        guard !isTruncated, digits <= 1 << 52, exponent.magnitude < Self.powersOfTen.count else { return nil }
        let power = Self.powersOfTen[Int(exponent.magnitude)]
        let magnitude = exponent < 0 ? Double(digits) / power : Double(digits) * power
        return isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
