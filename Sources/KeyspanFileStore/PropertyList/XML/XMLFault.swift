import KeyspanCore

/// What is wrong with an XML property list and at which byte: small, so that code which may throw it stays fast.
///
/// ``PropertyListData`` turns it into a ``PropertyListDataError`` before a caller sees it.
struct XMLFault: Error {
    /// What is wrong.
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
        case reference
        case invalidUTF8
        case duplicateKey
        case nesting
    }

    /// What has a beginning and an end.
    enum Construct: String {
        case declaration = "the XML declaration"
        case documentType = "the document type"
        case comment = "the comment"
        case characterData = "the CDATA section"
        case text = "the text"
    }

    let problem: Problem

    /// The index of the byte, or the number of bytes for the end of the text.
    let offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension PropertyListDataError {
    /// Looks up line and column of a fault and puts it into words.
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
        case .reference: "write the character itself as &amp;"
        case .duplicateKey: "remove one of them"
        case .nesting: "store it in a flatter form"
        default: nil
        }
    }
}
