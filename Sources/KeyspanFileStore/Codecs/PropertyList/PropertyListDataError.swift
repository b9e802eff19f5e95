import KeyspanCore

/// An invalid property list: the problem, and its place.
///
/// The error never contains the content of a string or a number, which may be a secret; at most one offending character.
@_spi(StoreAuthors) public struct PropertyListDataError: Error, Sendable, Hashable {
    /// A place in a document.
    @_spi(StoreAuthors) public enum Place: Sendable, Hashable {
        /// A place in XML: the line, and the column in Unicode scalars, both counted from 1.
        ///
        /// Lines end with a line feed. A byte-order mark at the beginning is not counted.
        case text(line: Int, column: Int)
        /// A place in a binary document: the offset of the byte, counted from 0.
        case byte(Int)
    }

    /// The format of the document, judged by its first bytes.
    @_spi(StoreAuthors) public var format: PropertyListFormat {
        switch place {
        case .text: .xml
        case .byte: .binary
        }
    }

    /// The place of the problem.
    @_spi(StoreAuthors) public let place: Place

    /// The problem, as a clause without a full stop.
    @_spi(StoreAuthors) public let reason: String

    /// The remedy, as a clause without a full stop, if there is a particular one.
    @_spi(StoreAuthors) public let remedy: String?
}

extension PropertyListDataError.Place: CustomStringConvertible {
    /// The place in words: `line 3, column 5`, or `byte 17`.
    @_spi(StoreAuthors) public var description: String {
        switch self {
        case .text(let line, let column): "line \(line), column \(column)"
        case .byte(let offset): "byte \(offset)"
        }
    }
}

extension PropertyListDataError: CustomStringConvertible {
    /// The error in one sentence.
    @_spi(StoreAuthors) public var description: String { "\(place): \(reason)\(remedy.map { "; \($0)" } ?? "")." }
}

/// The problem of an XML property list, and its byte: a small error, so that code which can throw it stays fast.
///
/// ``PropertyListData`` turns it into a ``PropertyListDataError`` for callers.
struct XMLFault: Error {
    /// The kinds of problems.
    enum Problem: Equatable {
        case emptyText
        case otherEncoding
        case nulBytes
        case declaredEncoding
        case noPropertyList
        case unclosed(Construct)
        case declarations
        case emptyDocument
        case topLevelDictionary
        case contentAfterValue
        case openingTag
        case elementName
        case tagEnd
        case unknownElement
        case key
        case closingTag(XMLElement)
        case content(XMLElement)
        case realRange
        case realDigits
        case instructionName
        case misplacedDeclaration
        case reference
        case invalidUTF8
        case duplicateKey
        case nesting
    }

    /// Constructs with a beginning and an end.
    enum Construct: String {
        case declaration = "the XML declaration"
        case documentType = "the document type"
        case comment = "the comment"
        case instruction = "the processing instruction"
        case characterData = "the CDATA section"
        case text = "the text"
    }

    let problem: Problem

    /// The offset of the byte, or the number of bytes for the end of the text.
    let offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension PropertyListDataError {
    /// Computes line and column of a fault and puts it into words.
    init(_ fault: XMLFault, in bytes: UnsafeBufferPointer<UInt8>) {
        let found = TextPlace(at: fault.offset, isInvalid: fault.problem == .invalidUTF8, in: bytes)
        place = .text(line: found.line, column: found.column)
        reason = fault.problem.reason(found: found.found)
        remedy = fault.problem.remedy
    }
}

extension XMLFault.Problem {
    fileprivate func reason(found: String) -> String {
        switch self {
        case .emptyText: "there is no text"
        case .otherEncoding: "it is UTF-16 or UTF-32 text"
        case .nulBytes: "it begins with NUL bytes"
        case .declaredEncoding: "the declaration names another encoding than UTF-8"
        case .noPropertyList: "it begins with \(found), so it is neither an XML nor a binary property list"
        case .unclosed(let construct): "\(construct.rawValue) has no end"
        case .declarations: "the document type has declarations"
        case .emptyDocument: "<plist> has no value"
        case .topLevelDictionary: "the value is no dictionary"
        case .contentAfterValue: "expected nothing after the value but found \(found)"
        case .openingTag: "expected an element but found \(found)"
        case .elementName: "expected the name of an element but found \(found)"
        case .tagEnd: "expected `>` but found \(found)"
        case .unknownElement: "this is no element of a property list"
        case .key: "expected <key> but found another element"
        case .closingTag(let element): "expected </\(element)>"
        case .content(let element): "the text of <\(element)> is no value of that kind"
        case .realRange: "the number of <real> is beyond the range of Double"
        case .realDigits: "the number of <real> has digits that no Double keeps"
        case .instructionName: "expected the name of a processing instruction but found \(found)"
        case .misplacedDeclaration: "the XML declaration is not at the beginning"
        case .reference: "`&` begins no character reference"
        case .invalidUTF8: "expected UTF-8 text but found \(found)"
        case .duplicateKey: "the dictionary has this key already"
        case .nesting: "there are more than \(PropertyListValue.maximumNesting) nested collections"
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .emptyText: "an empty file is no property list: remove it, or write <plist><dict/></plist> into it"
        case .otherEncoding, .declaredEncoding: "convert the text to UTF-8"
        case .nulBytes: "the file was probably damaged by a power failure: restore it from a copy"
        case .noPropertyList: "convert it, or open it as what it is"
        case .declarations: "remove what is in brackets, such as entities"
        case .topLevelDictionary: "only a dictionary can be the content of a store"
        case .realRange: "write it as <string>, or an infinity as <real>+infinity</real>"
        case .realDigits: "round it to 15 digits, or write it as <string>"
        case .misplacedDeclaration: "move it before everything else, or remove it"
        case .reference: "write the character itself as &amp;"
        case .duplicateKey: "remove one of them"
        case .nesting: "store it in a flatter form"
        default: nil
        }
    }
}

/// The problem of a binary property list, and its byte: a small error, so that code which can throw it stays fast.
///
/// ``PropertyListData`` turns it into a ``PropertyListDataError`` for callers.
package struct BinaryFault: Error {
    /// The kinds of problems.
    enum Problem: Equatable {
        case cutOff
        case version
        case trailer
        case referenceToNothing
        case offsetOutside
        case objectCutOff
        case count
        case integerRange
        case notASCII
        case notUTF16
        case uid
        case marker(UInt8)
        case keyKind
        case duplicateKey
        case topLevelDictionary
        case nesting
        case tooManyValues(Int)
        case tooMuchContent(Int)
    }

    let problem: Problem

    /// The offset of the byte.
    let offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension PropertyListDataError {
    /// Puts a fault into words.
    init(_ fault: BinaryFault) {
        place = .byte(fault.offset)
        reason = fault.problem.reason
        remedy = fault.problem.remedy
    }
}

extension BinaryFault.Problem {
    fileprivate var reason: String {
        switch self {
        case .cutOff: "the document is cut off"
        case .version: "the document is of another version than `bplist00`"
        case .trailer: "the trailer does not describe the document"
        case .referenceToNothing: "a reference leads to no object"
        case .offsetOutside: "an object lies outside the document"
        case .objectCutOff: "an object is cut off"
        case .count: "a count is no number"
        case .integerRange: "an integer is beyond the range of 64 bits"
        case .notASCII: "an ASCII string has other bytes"
        case .notUTF16: "a string is not UTF-16"
        case .uid: "the UID of a keyed archive is no value of a property list"
        case .marker(let marker): "no value of a property list begins with 0x\(String(marker, radix: 16))"
        case .keyKind: "a key is no string"
        case .duplicateKey: "a dictionary has the same key twice"
        case .topLevelDictionary: "the value is no dictionary"
        case .nesting: "there are more than \(PropertyListValue.maximumNesting) nested collections"
        case .tooManyValues(let limit): "the document stands for more than \(limit) values"
        case .tooMuchContent(let limit): "the document stands for more than \(limit) bytes of strings and data"
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .cutOff, .trailer, .objectCutOff: "restore it from a copy"
        case .version: "convert it, as with `plutil -convert binary1`"
        case .topLevelDictionary: "only a dictionary can be the content of a store"
        case .nesting: "store it in a flatter form"
        default: nil
        }
    }
}
