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
        let number = DecimalNumeral.Parts(at: &cursor)
        try check(number, from: start)
        guard number.isWhole else { return .real(try real(number, from: start)) }
        if number.isNegative && number.isZero { return .real(-0.0) }
        guard let integer = number.integer else { throw JSONFault(.integerRange, at: start) }
        return .integer(integer)
    }

    /// Throws unless a numeral, which the cursor has passed, has all parts that RFC 8259 section 6 requires.
    private func check(_ number: DecimalNumeral.Parts, from start: Int) throws(JSONFault) {
        let whole = number.isNegative ? start + 1 : start
        guard number.wholeDigits > 0 else { throw JSONFault(.digit, at: whole) }
        if number.wholeDigits > 1, cursor.range(from: whole).first == ASCII.zero {
            throw JSONFault(.leadingZero, at: whole)
        }
        if number.fractionDigits == 0 { throw JSONFault(.digit, at: whole + number.wholeDigits + 1) }
        if number.exponentDigits == 0 { throw JSONFault(.digit, at: cursor.position) }
    }

    /// The nearest `Double`, which must keep the digits.
    private func real(_ number: DecimalNumeral.Parts, from start: Int) throws(JSONFault) -> Double {
        if let value = number.exactReal ?? number.keptReal { return value }
        do throws(RealNumeral.Flaw) {
            return try RealNumeral.value(of: String(decoding: cursor.range(from: start), as: UTF8.self))
        } catch {
            throw JSONFault(error == .digits ? .realDigits : .realRange, at: start)
        }
    }
}
