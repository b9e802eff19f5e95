#if Remote
#if canImport(CryptoKit)
internal import CryptoKit
#else
internal import Crypto
#endif
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The content of a signed message: all values that a publisher has for a group of clients.
struct SettingsDocument: Sendable, Equatable {
    /// The name of the publisher.
    let name: String
    /// The group of clients.
    let group: String
    /// The number of the publisher's state, which rises with each change.
    let revision: Int64
    let state: SettingsState
    /// When the document was issued, and until when a client may take it.
    let validity: Range<Date>
    let values: PropertyListDictionary
}

/// A digest of a group's values: equal values of one group have equal states on all servers and in all processes.
struct SettingsState: Sendable, Hashable {
    /// 32 digits of a hexadecimal number, which are equal as characters if they are as bytes.
    let text: String

    /// The text of values that the digest is made of.
    static func text(of values: PropertyListDictionary) -> [UInt8] { JSONText.encodeOnOneLine(.dictionary(values)) }

    /// The digest of the text of values for a group.
    init(of text: [UInt8], for group: String) {
        let digest = SHA256.hash(data: Array("\(group)\n".utf8) + text)
        self.text = digest.prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Reads a text; `nil` if it is not that of a state.
    init?(_ text: some Collection<UInt8>) {
        guard text.count == 32, text.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
            return nil
        }
        self.text = String(decoding: text, as: UTF8.self)
    }
}

// MARK: - JSON

extension SettingsDocument {
    /// The numbers of states: all of them are exact in JSON for clients in any language.
    static let revisions: ClosedRange<Int64> = 0...(1 << 53) - 1

    /// The deepest value of an entry: the object of the values is one level around it.
    static let maximumNestingOfValue = PropertyListValue.maximumNesting - 1

    /// The document as JSON on one line, in the forms of `JSONText`.
    var content: [UInt8] {
        JSONText.encodeOnOneLine([
            "name": .string(name),
            "group": .string(group),
            "revision": .integer(PropertyListInteger(revision)),
            "state": .string(state.text),
            "issued": .string(validity.lowerBound.messageText),
            "expires": .string(validity.upperBound.messageText),
            "values": .dictionary(values),
        ])
    }

    /// Reads JSON whose signature is verified.
    ///
    /// Members of other names are ignored.
    ///
    /// - Throws: ``RemoteStoreError``.
    init(content: [UInt8]) throws(RemoteStoreError) {
        let members: PropertyListTable
        do {
            members = try JSONText.parseTable(content)
        } catch {
            throw .unreadable("its second line is not JSON text in the form of settings", error)
        }
        name = try Self.text("name", of: members)
        group = try Self.text("group", of: members)
        // It is a part of URLs.
        guard KeyIdentifier.isGroup(group) else { throw Self.missing("group") }
        guard case .integer(let number)? = members["revision"], let revision = number.int64,
            Self.revisions.contains(revision)
        else { throw Self.missing("revision") }
        guard let state = SettingsState(try Self.text("state", of: members).utf8) else { throw Self.missing("state") }
        guard let issued = Date(messageText: try Self.text("issued", of: members)) else { throw Self.missing("issued") }
        guard let expires = Date(messageText: try Self.text("expires", of: members)), issued <= expires else {
            throw Self.missing("expires")
        }
        guard case .dictionary(let values)? = members["values"] else { throw Self.missing("values") }
        (self.revision, self.state, validity, self.values) = (revision, state, issued..<expires, values)
    }

    private static func missing(_ member: String) -> RemoteStoreError {
        .unreadable("its member \"\(member)\" is missing or of another form")
    }

    private static func text(_ member: String, of members: PropertyListTable) throws(RemoteStoreError) -> String {
        guard case .string(let text)? = members[member] else { throw missing(member) }
        return text
    }
}

extension Date {
    /// The time in whole seconds as RFC 3339 text; the ends of the years 0 to 9999 for others.
    var messageText: String {
        let seconds = timeIntervalSinceReferenceDate.rounded(.down)
        let latest = 252_423_993_599.0
        return DateText.text(for: seconds + 0)
            ?? (seconds < 0 ? "0000-01-01T00:00:00Z" : DateText.text(for: latest) ?? "")
    }

    /// Reads RFC 3339 text.
    init?(messageText text: String) {
        guard let interval = DateText.interval(from: text) else { return nil }
        self.init(timeIntervalSinceReferenceDate: interval)
    }
}
#endif
