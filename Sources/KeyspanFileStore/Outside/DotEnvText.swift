package import KeyspanCore

/// A reader of `.env` files in the dialect that ``DotEnvStore`` describes.
package enum DotEnvText {
    /// A variable that a text defines.
    package struct Definition: Sendable, Hashable {
        /// The name of the variable.
        @UTF8Text package private(set) var name: String
        /// The value, after quotes and escape sequences were read.
        @UTF8Text package private(set) var value: String
        /// The line of the name, from 1.
        package let line: Int

        /// Makes a definition.
        package init(_ name: String, _ value: String, line: Int) {
            self.line = line
            self.name = name
            self.value = value
        }
    }

    /// Reads a text.
    ///
    /// - Parameter bytes: The text in UTF-8.
    /// - Returns: The definitions in their order, no two of one name.
    /// - Throws: ``DotEnvTextError`` at the first place that the dialect does not have.
    /// - Complexity: O(*n*) in the number of bytes.
    package static func parse(_ bytes: [UInt8]) throws(DotEnvTextError) -> [Definition] {
        try bytes.withUnsafeBufferPointer { (bytes) throws(DotEnvTextError) in
            do throws(DotEnvFault) {
                if TextBeginning.flaw(of: bytes) == .otherEncoding { throw DotEnvFault(.otherEncoding, at: 0) }
                var reader = DotEnvReader(cursor: TextCursor(bytes))
                return try reader.readText()
            } catch {
                throw DotEnvTextError(error, in: bytes)
            }
        }
    }
}

/// Reads definitions, one after the other.
private struct DotEnvReader {
    var cursor: TextCursor
    private var definitions: [DotEnvText.Definition] = []
    private var firstLines: TextDictionary<Int> = [:]
    /// The line of a place that the reader has come past.
    private var line = (number: 1, offset: 0)

    private static let hash = UInt8(ascii: "#")
    private static let apostrophe = UInt8(ascii: "'")
    private static let dollar = UInt8(ascii: "$")

    init(cursor: TextCursor) {
        self.cursor = cursor
    }

    mutating func readText() throws(DotEnvFault) -> [DotEnvText.Definition] {
        _ = cursor.consume("\u{FEFF}")
        while true {
            cursor.skipSpace()
            if cursor.isAtEnd { return definitions }
            if cursor.current == Self.hash {
                skipRestOfLine()
            } else {
                try readDefinition()
            }
        }
    }

    private mutating func readDefinition() throws(DotEnvFault) {
        skipExport()
        let start = cursor.position
        let name = try readName()
        advanceLine(to: start)
        if let firstLine = firstLines.updateValue(line.number, forKey: name) {
            throw DotEnvFault(.duplicate(firstLine: firstLine), at: start)
        }
        skipBlanks()
        guard cursor.consume(UInt8(ascii: "=")) else { throw DotEnvFault(.equalsSign, at: cursor.position) }
        let isAfterBlank = skipBlanks()
        let valueStart = cursor.position
        let bytes =
            switch cursor.current {
            case Self.apostrophe: try readQuoted(by: Self.apostrophe)
            case ASCII.quote: try readQuoted(by: ASCII.quote)
            default: try readUnquoted(isAfterBlank: isAfterBlank)
            }
        guard let value = String(validating: bytes, as: UTF8.self) else {
            throw DotEnvFault(.invalidUTF8, at: valueStart)
        }
        definitions.append(DotEnvText.Definition(name, value, line: line.number))
    }

    /// Skips the word `export` unless it is the name itself.
    private mutating func skipExport() {
        var ahead = cursor
        guard ahead.consume("export"), ahead.current.isBlank else { return }
        _ = ahead.take { $0.isBlank }
        if ahead.current != UInt8(ascii: "=") { cursor = ahead }
    }

    private mutating func readName() throws(DotEnvFault) -> String {
        let start = cursor.position
        let first = cursor.current
        let bytes = cursor.take { $0.isAlphanumeric || "_.-".utf8.contains($0) || $0 >= 0x80 }
        let isBegun = !bytes.isEmpty && !first.isDigit && first != UInt8(ascii: ".") && first != UInt8(ascii: "-")
        guard isBegun else { throw DotEnvFault(.name, at: start) }
        guard let name = String(validating: bytes, as: UTF8.self) else { throw DotEnvFault(.invalidUTF8, at: start) }
        var offset = start
        for scalar in name.unicodeScalars {
            // A space that is not ASCII would be taken for a part of the name.
            guard scalar.isASCII || scalar.properties.isIDContinue else { throw DotEnvFault(.name, at: offset) }
            offset += UTF8.width(scalar)
        }
        return name
    }

    private mutating func readUnquoted(isAfterBlank: Bool) throws(DotEnvFault) -> [UInt8] {
        var value: [UInt8] = []
        var isAfterBlank = isAfterBlank
        while !cursor.isAtEnd, cursor.current != ASCII.lineFeed {
            if cursor.current == Self.hash, isAfterBlank {
                skipRestOfLine()
                break
            }
            if cursor.current == ASCII.carriageReturn {
                guard cursor.isAt("\r\n") else { throw DotEnvFault(.carriageReturn, at: cursor.position) }
                break
            }
            isAfterBlank = cursor.current.isBlank
            if cursor.consume("\\$") {
                value.append(Self.dollar)
            } else {
                value.append(try takeLiteral())
            }
        }
        while value.last?.isBlank == true { value.removeLast() }
        return value
    }

    /// Reads a value in quotes, of one or several lines, and what else its last line may have.
    private mutating func readQuoted(by quote: UInt8) throws(DotEnvFault) -> [UInt8] {
        let start = cursor.position
        _ = cursor.take()
        var value: [UInt8] = []
        while !cursor.consume(quote) {
            if cursor.isAtEnd { throw DotEnvFault(.closingQuote, at: start) }
            if cursor.isAt("\r\n") {
                _ = cursor.take()
            } else if quote == Self.apostrophe {
                value.append(try takeByte())
            } else if cursor.current == ASCII.backslash {
                value.append(try readEscape())
            } else {
                value.append(try takeLiteral())
            }
        }
        skipBlanks()
        if cursor.current == Self.hash { skipRestOfLine() }
        guard cursor.isAtEnd || cursor.current == ASCII.lineFeed || cursor.isAt("\r\n") else {
            throw DotEnvFault(.contentAfterQuote, at: cursor.position)
        }
        return value
    }

    private mutating func readEscape() throws(DotEnvFault) -> UInt8 {
        let start = cursor.position
        _ = cursor.take()
        switch cursor.take() {
        case UInt8(ascii: "n"): return ASCII.lineFeed
        case UInt8(ascii: "r"): return ASCII.carriageReturn
        case UInt8(ascii: "t"): return ASCII.tab
        case let byte? where byte == ASCII.quote || byte == ASCII.backslash || byte == Self.dollar: return byte
        default: throw DotEnvFault(.escape, at: start)
        }
    }

    /// Takes a byte of a value in which other readers replace variables.
    private mutating func takeLiteral() throws(DotEnvFault) -> UInt8 {
        let start = cursor.position
        let byte = try takeByte()
        if byte == Self.dollar, cursor.current.isAlphanumeric || "{(_".utf8.contains(cursor.current) {
            throw DotEnvFault(.expansion, at: start)
        }
        return byte
    }

    private mutating func takeByte() throws(DotEnvFault) -> UInt8 {
        guard let byte = cursor.take(), byte != 0 else { throw DotEnvFault(.nulByte, at: cursor.position - 1) }
        return byte
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        !cursor.take { $0.isBlank }.isEmpty
    }

    private mutating func skipRestOfLine() {
        _ = cursor.take { $0 != ASCII.lineFeed }
    }

    private mutating func advanceLine(to offset: Int) {
        line.number += cursor.all[line.offset..<offset].count { $0 == ASCII.lineFeed }
        line.offset = offset
    }
}

extension UInt8 {
    /// Whether this is an ASCII space or tab.
    fileprivate var isBlank: Bool { self == ASCII.space || self == ASCII.tab }
}
