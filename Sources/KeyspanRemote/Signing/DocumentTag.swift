#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The name of a document: its state, the time at which it was issued, its revision and the key that signed it.
///
/// It is the entity tag, the last part of the document's own path, and the content of an event.
struct DocumentTag: Sendable, Equatable {
    /// The tag of an event after which a client asks in any case.
    static let any = "*"

    /// The tag without quotation marks.
    let text: String
    private let state, issued, keyID: String
    private let revision: Int64

    init(_ state: SettingsState, issued: Date, revision: Int64, keyID: String) {
        let seconds = Int64(min(max(issued.timeIntervalSince1970, 0), 1e12))
        text = "\(state.text).\(seconds).\(revision).\(keyID)"
        (self.state, self.issued, self.revision, self.keyID) = (state.text, "\(seconds)", revision, keyID)
    }

    /// Reads a tag without quotation marks; `nil` if it is not one of a document.
    init?(_ text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, SettingsState(parts[0]) != nil, Self.isNumber(parts[1]), Self.isNumber(parts[2]),
            let revision = Int64(Substring(parts[2])), KeyIdentifier.isValid(parts[3])
        else { return nil }
        self.text = String(text)
        (state, issued) = (String(Substring(parts[0])), String(Substring(parts[1])))
        (self.revision, keyID) = (revision, String(Substring(parts[3])))
    }

    /// The tags of documents in the value of `If-None-Match` (RFC 9110, section 13.1.2), without the mark that a proxy
    /// which compresses bodies gives them.
    static func all(in conditions: String) -> some Sequence<DocumentTag> {
        let parts = Substring(conditions).utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).lazy.compactMap { DocumentTag(Substring(parts[$0])) }
    }

    /// The tag with quotation marks.
    var entityTag: String { "\"\(text)\"" }

    /// Whether another tag names a document with the same values, end and key.
    ///
    /// The revisions may differ, because servers that go by their clocks number the same values differently.
    func isEquivalent(to other: DocumentTag) -> Bool { hasSameValues(as: other) && issued == other.issued }

    /// Whether another tag names a document with the same values and key, which may end at another time.
    func hasSameValues(as other: DocumentTag) -> Bool { (state, keyID) == (other.state, other.keyID) }

    /// Whether this names a document of the same key that another one has replaced.
    func isReplaced(by other: DocumentTag) -> Bool { keyID == other.keyID && revision < other.revision }

    private static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        (1...19).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
    }
}
#endif
