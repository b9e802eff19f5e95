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
        if !isASCII { try checkNoncharacters(from: start) }
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

    /// Skips text that stands for itself.
    ///
    /// - Returns: Whether it is ASCII.
    private mutating func skipPlainText() -> Bool {
        var isASCII = true
        while true {
            if !cursor.skipPlainText(upTo: UInt8(ascii: "<"), UInt8(ascii: "&")) { isASCII = false }
            guard cursor.consume(ASCII.lineFeed) || cursor.consume(ASCII.tab) else { return isASCII }
        }
    }

    /// Puts the text of an element together whose plain beginning has been skipped, and reads its closing tag.
    private mutating func assembleText(of tag: XMLTag, from start: Int) throws(XMLFault) {
        assembled.removeAll(keepingCapacity: true)
        try append(from: start)
        while true {
            switch cursor.current {
            case UInt8(ascii: "&"):
                try appendReference()
            case ASCII.carriageReturn:
                appendLineEnd()
            case UInt8(ascii: "<") where cursor.isAt("<!--"):
                try skipComment()
            case UInt8(ascii: "<") where cursor.isAt("<![CDATA["):
                try appendCharacterData()
            case UInt8(ascii: "<"):
                return try readClosingTag(tag.element)
            default:
                if cursor.isAtEnd { throw XMLFault(.unclosed(.text), at: tag.start) }
                throw XMLFault(.forbiddenCharacter, at: cursor.position)
            }
            let plainStart = cursor.position
            _ = skipPlainText()
            try append(from: plainStart)
        }
    }

    private mutating func append(from start: Int) throws(XMLFault) {
        try checkNoncharacters(from: start)
        cursor.append(from: start, to: &assembled)
    }

    /// XML makes every line end a line feed, but for those that are written as references.
    private mutating func appendLineEnd() {
        _ = cursor.take()
        _ = cursor.consume(ASCII.lineFeed)
        assembled.append(ASCII.lineFeed)
    }

    private mutating func appendCharacterData() throws(XMLFault) {
        let start = cursor.position
        _ = cursor.consume("<![CDATA[")
        while !cursor.consume("]]>") {
            let pieceStart = cursor.position
            guard let byte = cursor.take() else { throw XMLFault(.unclosed(.characterData), at: start) }
            switch byte {
            case ASCII.carriageReturn:
                _ = cursor.consume(ASCII.lineFeed)
                assembled.append(ASCII.lineFeed)
            case ASCII.lineFeed, ASCII.tab, ASCII.space...:
                assembled.append(byte)
            default:
                throw XMLFault(.forbiddenCharacter, at: pieceStart)
            }
        }
        try checkNoncharacters(from: start)
    }

    private mutating func appendReference() throws(XMLFault) {
        let start = cursor.position
        _ = cursor.take()
        let isNumber = cursor.consume(UInt8(ascii: "#"))
        let name = cursor.takeWord()
        guard let scalar = isNumber ? XMLContent.scalar(ofNumber: name) : XMLContent.scalar(named: name),
            cursor.consume(UInt8(ascii: ";"))
        else { throw XMLFault(.reference, at: start) }
        guard !XMLRestrictions.forbids(scalar) else { throw XMLFault(.forbiddenCharacter, at: start) }
        assembled.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Refuses U+FFFE and U+FFFF, the only characters above U+001F that XML forbids.
    private func checkNoncharacters(from start: Int) throws(XMLFault) {
        if let index = XMLRestrictions.indexOfNoncharacter(in: cursor.range(from: start)) {
            throw XMLFault(.forbiddenCharacter, at: start + index)
        }
    }
}
