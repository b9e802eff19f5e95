import KeyspanCore

/// What is wrong with a binary property list and at which byte: small, so that code which may throw it stays fast.
///
/// ``PropertyListData`` turns it into a ``PropertyListDataError`` before a caller sees it.
struct BinaryFault: Error {
    /// What is wrong.
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

    /// The index of the byte.
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
