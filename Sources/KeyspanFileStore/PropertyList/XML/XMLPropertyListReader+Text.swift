import KeyspanCore

/// The text of elements.
extension XMLPropertyListReader {
    /// Reads the text of an element and its closing tag.
    mutating func readText(of tag: XMLTag) throws(XMLFault) -> String {
        if tag.isEmpty { return "" }
        let start = cursor.position
        let isASCII = skipPlainText()
        guard cursor.isAt("</") else {
            try assembleText(of: tag, from: start)
            guard let text = String(validating: assembled, as: UTF8.self) else {
                throw XMLFault(.invalidUTF8, at: start)
            }
            return text
        }
        guard let text = cursor.text(from: start, isASCII: isASCII) else { throw XMLFault(.invalidUTF8, at: start) }
        try readClosingTag(tag.element)
        return text
    }

    /// Reads the text of an element and its closing tag, and makes a value of the text without the space around it.
    mutating func convertText<Value>(
        of tag: XMLTag,
        _ conversion: (UnsafeBufferPointer<UInt8>) -> Value?
    ) throws(XMLFault) -> Value {
        let invalid = XMLFault(.content(tag.element), at: tag.start)
        if tag.isEmpty { throw invalid }
        let start = cursor.position
        _ = skipPlainText()
        let value: Value?
        if cursor.isAt("</") {
            value = conversion(XMLContent.trimmed(cursor.range(from: start)))
            try readClosingTag(tag.element)
        } else {
            try assembleText(of: tag, from: start)
            value = assembled.withUnsafeBufferPointer { conversion(XMLContent.trimmed($0)) }
        }
        guard let value else { throw invalid }
        return value
    }

    /// Reads the number of a real and its closing tag.
    mutating func readReal(of tag: XMLTag) throws(XMLFault) -> Double {
        switch try convertText(of: tag, XMLContent.real) {
        case .success(let value): return value
        case .failure(.range): throw XMLFault(.realRange, at: tag.start)
        case .failure(.digits): throw XMLFault(.realDigits, at: tag.start)
        case .failure(.form): throw XMLFault(.content(tag.element), at: tag.start)
        }
    }

    /// Skips text that stands for itself.
    ///
    /// That is all but markup. Foundation writes control characters and carriage returns as they are, and reads them so;
    /// XML would forbid the former and make line feeds of the latter, and an existing file would lose them.
    ///
    /// - Returns: Whether it is ASCII.
    private mutating func skipPlainText() -> Bool {
        var isASCII = true
        while true {
            if !cursor.skipPlainText(upTo: UInt8(ascii: "<"), UInt8(ascii: "&")) { isASCII = false }
            guard !cursor.isAtEnd, cursor.current < ASCII.space else { return isASCII }
            _ = cursor.take()
        }
    }

    /// Puts the text of an element together whose plain beginning has been skipped, and reads its closing tag.
    private mutating func assembleText(of tag: XMLTag, from start: Int) throws(XMLFault) {
        assembled.removeAll(keepingCapacity: true)
        cursor.append(from: start, to: &assembled)
        while !cursor.isAtEnd {
            if cursor.current == UInt8(ascii: "&") {
                try appendReference()
            } else if cursor.isAt("<!--") {
                try skipComment()
            } else if cursor.isAt("<?") {
                try skipInstruction()
            } else if cursor.isAt("<![CDATA[") {
                try appendCharacterData()
            } else {
                return try readClosingTag(tag.element)
            }
            let plainStart = cursor.position
            _ = skipPlainText()
            cursor.append(from: plainStart, to: &assembled)
        }
        throw XMLFault(.unclosed(.text), at: tag.start)
    }

    private mutating func appendCharacterData() throws(XMLFault) {
        let start = cursor.position
        _ = cursor.consume("<![CDATA[")
        let textStart = cursor.position
        guard cursor.skip(through: "]]>") else { throw XMLFault(.unclosed(.characterData), at: start) }
        assembled.append(contentsOf: cursor.range(from: textStart).dropLast("]]>".utf8.count))
    }

    private mutating func appendReference() throws(XMLFault) {
        let start = cursor.position
        _ = cursor.take()
        let isNumber = cursor.consume(UInt8(ascii: "#"))
        let name = cursor.takeWord()
        guard let scalar = isNumber ? XMLContent.scalar(ofNumber: name) : XMLContent.scalar(named: name),
            cursor.consume(UInt8(ascii: ";"))
        else { throw XMLFault(.reference, at: start) }
        assembled.append(contentsOf: scalar.utf8)
    }
}
