#if Remote || canImport(CryptoKit)
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

/// The content of a message: all values that a publisher has for a client, or a change of them.
struct SettingsMessage: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// All values.
        case document
        /// The values that are others than in a state, and the entries that are in that state only.
        case change(base: SettingsState, removed: [String])
    }

    let kind: Kind
    /// The name of the publisher.
    let name: String
    /// The number of the publisher's state, which rises with each change.
    let revision: Int64
    /// The state after this message.
    let state: SettingsState
    /// When the message was signed, and until when a client may take it.
    let validity: Range<Date>
    let values: PropertyListDictionary
}

/// A digest of all values that a client has after a message: equal values have equal states on all servers and in all
/// processes.
///
/// A change names the state that it changes. So a client never applies it to other values, such as those for another
/// group of clients.
struct SettingsState: Sendable, Hashable {
    /// 32 digits of a hexadecimal number.
    let text: String

    /// The text of values that the digest is made of.
    static func text(of values: PropertyListDictionary) -> [UInt8] { JSONText.encodeOnOneLine(.dictionary(values)) }

    /// The digest of the text of values.
    init(of text: [UInt8]) {
        let digest = SHA256.hash(data: text)
        self.text = digest.prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Reads a text; `nil` if it is not that of a state.
    init?(_ text: String) {
        guard text.utf8.count == 32,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }

    static func == (left: Self, right: Self) -> Bool { left.text.hasSameUTF8(as: right.text) }

    func hash(into hasher: inout Hasher) { hasher.combine(UTF8Text(text)) }
}

/// A state with its revision: the point in a publisher's history at which a client is.
struct SettingsPosition: Sendable, Hashable {
    let revision: Int64
    let state: SettingsState

    /// The identifier of an event, and the beginning of an entity tag.
    var text: String { "\(revision).\(state.text)" }

    init(revision: Int64, state: SettingsState) {
        self.revision = revision
        self.state = state
    }

    /// Reads a text; `nil` if it is not that of a position.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count <= 19, parts[0].allSatisfy({ (0x30...0x39).contains($0) }),
            let revision = Int64(String(Substring(parts[0]))), let state = SettingsState(String(Substring(parts[1])))
        else { return nil }
        self.init(revision: revision, state: state)
    }
}

// MARK: - JSON

extension SettingsMessage {
    private enum Member {
        static let kind = "kind"
        static let name = "name"
        static let revision = "revision"
        static let state = "state"
        static let base = "base"
        static let issued = "issued"
        static let expires = "expires"
        static let values = "values"
        static let removed = "removed"
    }

    /// The largest revision: all numbers up to it are exact in JSON for clients in any language.
    static let maximumRevision: Int64 = (1 << 53) - 1

    /// The deepest value of an entry: the object of the values is one level around it.
    static let maximumNestingOfValue = PropertyListValue.maximumNesting - 1

    /// The message as JSON on one line, in the forms of `JSONText`.
    var content: [UInt8] {
        var members: PropertyListDictionary = [
            Member.name: .string(name),
            Member.revision: .integer(PropertyListInteger(revision)),
            Member.state: .string(state.text),
            Member.issued: .string(validity.lowerBound.messageText),
            Member.expires: .string(validity.upperBound.messageText),
            Member.values: .dictionary(values),
        ]
        switch kind {
        case .document:
            members[Member.kind] = "document"
        case .change(let base, let removed):
            members[Member.kind] = "change"
            members[Member.base] = .string(base.text)
            members[Member.removed] = .array(removed.map { .string($0) })
        }
        return JSONText.encodeOnOneLine(.dictionary(members))
    }

    /// Reads JSON whose signature is verified.
    ///
    /// Members of other names are ignored.
    ///
    /// - Throws: ``MessageFlaw/unreadable(_:_:)``.
    init(content: [UInt8]) throws(MessageFlaw) {
        let members: PropertyListTable
        do {
            members = try JSONText.parseTable(content)
        } catch {
            throw .unreadable("its second line is not JSON text in the form of settings", error)
        }
        name = try Self.text(Member.name, of: members)
        guard case .integer(let number)? = members[Member.revision], let revision = number.int64,
            (0...Self.maximumRevision).contains(revision)
        else { throw Self.missing(Member.revision) }
        self.revision = revision
        state = try Self.state(Member.state, of: members)
        let (issued, expires) = (try Self.date(Member.issued, of: members), try Self.date(Member.expires, of: members))
        guard issued <= expires else { throw Self.missing(Member.expires) }
        validity = issued..<expires
        guard case .dictionary(let values)? = members[Member.values] else { throw Self.missing(Member.values) }
        self.values = values
        let kind = try Self.text(Member.kind, of: members)
        if kind.hasSameUTF8(as: "document") {
            self.kind = .document
        } else if kind.hasSameUTF8(as: "change") {
            self.kind = .change(
                base: try Self.state(Member.base, of: members),
                removed: try Self.texts(Member.removed, of: members)
            )
        } else {
            throw .unreadable("its kind is neither \"document\" nor \"change\"")
        }
    }

    private static func missing(_ member: String) -> MessageFlaw {
        .unreadable("its member \"\(member)\" is missing or of another form")
    }

    private static func text(_ member: String, of members: PropertyListTable) throws(MessageFlaw) -> String {
        guard case .string(let text)? = members[member] else { throw missing(member) }
        return text
    }

    private static func state(_ member: String, of members: PropertyListTable) throws(MessageFlaw) -> SettingsState {
        guard let state = SettingsState(try text(member, of: members)) else { throw missing(member) }
        return state
    }

    private static func date(_ member: String, of members: PropertyListTable) throws(MessageFlaw) -> Date {
        guard let date = Date(messageText: try text(member, of: members)) else { throw missing(member) }
        return date
    }

    private static func texts(_ member: String, of members: PropertyListTable) throws(MessageFlaw) -> [String] {
        guard case .array(let elements)? = members[member] else { throw missing(member) }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element else { throw missing(member) }
            texts.append(text)
        }
        return texts
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
