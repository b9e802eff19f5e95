import KeyspanCore

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
            // A larger one only has to stay outside the range in which the number is exact.
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
