#if Console
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension SettingsConsole {
    /// An entry of an audit trail: changes that a person submitted, whatever became of them, or a request that was refused.
    ///
    /// ``description`` is one line of JSON, which can be appended to a file or a log. It has no values, and no text of a sender or a person
    /// can end the line or hide a part of it.
    public struct AuditEvent: Sendable, Hashable {
        /// The time of the decision.
        public let time: Date
        /// The identity of the sender, as the server gave it to ``SettingsConsole/respond(to:from:body:)``.
        public let sender: String?
        /// The person, as the access closure named them.
        public let person: String?
        /// The reason to refuse the whole request; `nil` if its changes were decided one by one.
        public let refusal: Refusal?
        /// The submitted changes, which take effect together or not at all; empty if the request was refused.
        public let changes: [Change]

        /// The reason to refuse a request.
        public enum Refusal: String, Sendable, Hashable {
            /// The access closure knows nobody like the sender: 401.
            case unauthorized
            /// The access closure permits the person nothing: 403.
            case forbidden
            /// The request names none of ``Options/hosts``: 421.
            case unknownHost
            /// The person may change nothing: 403.
            case readOnly
            /// Another site may have made the browser send the request: 403.
            case foreignOrigin
            /// The token of the page is missing, or is not that of the person: 403.
            case invalidToken
            /// The type of the body is not JSON: 415.
            case notJSON
            /// The body is larger than ``Options/maximumBodySize``, or cannot be read: 413.
            case tooLarge
            /// The body does not have the form in which a page sends changes: 400.
            case malformed
        }

        /// The change of one key.
        public struct Change: Sendable, Hashable {
            /// The name of the key, as it was submitted.
            public let key: String
            /// The kind of the change.
            public let kind: Kind
            /// The outcome.
            public let outcome: Outcome
            /// The digest of the value that the written layer had before: the SHA-256 of its JSON text on one line, in hexadecimal digits.
            ///
            /// `nil` without a value, for a secret, and for a key that the person may not change. A digest conceals no value of which few
            /// are possible, since each can be tried.
            public let old: String?
            /// The digest of the value after the change; of a change that was not made, that of the text or JSON which was submitted.
            public let new: String?
        }

        /// The kind of a change.
        public enum Kind: String, Sendable, Hashable {
            /// The key is given a value.
            case set
            /// The value is removed, so that the key has its default again.
            case reset
            /// The editor of the key is opened. This is reported only if it is denied.
            case open
        }

        /// The outcome of a change.
        public enum Outcome: String, Sendable, Hashable {
            /// The change is as durable as the store promises.
            case saved
            /// The change is in effect, and may be lost.
            case notDurable
            /// The store does not know whether the change was made.
            case unknown
            /// The key had the value already, so that nothing was changed.
            case unchanged
            /// The value has changed since the person saw it, so nothing was changed.
            case conflict
            /// The key cannot have the value.
            case invalid
            /// The person may not change the key, or there is none of this name for them.
            case denied
            /// The store refused to write.
            case failed
            /// Another change of the submission was not made, so this one was not either.
            case skipped
        }
    }
}

extension SettingsConsole.AuditEvent: CustomStringConvertible {
    /// The event as JSON on one line, without a line feed at its end.
    ///
    /// Control characters, invisible ones, and those that change the direction of text are escaped.
    public var description: String {
        let seconds = (time.timeIntervalSinceReferenceDate * 1000).rounded(.down) / 1000
        var members: PropertyListDictionary = ["time": .string(DateText.text(for: seconds) ?? "")]
        members["sender"] = sender.map { .string($0) }
        members["person"] = person.map { .string($0) }
        members["refusal"] = refusal.map { .string($0.rawValue) }
        if !changes.isEmpty { members["changes"] = .array(changes.map(\.members)) }
        return String(decoding: JSONText.encodeOnOneLine(.dictionary(members)), as: UTF8.self).escapedForJSON
    }
}

extension SettingsConsole.AuditEvent.Change {
    fileprivate var members: PropertyListValue {
        var members: PropertyListDictionary = [
            "key": .string(key), "kind": .string(kind.rawValue), "outcome": .string(outcome.rawValue),
        ]
        members["old"] = old.map { .string($0) }
        members["new"] = new.map { .string($0) }
        return .dictionary(members)
    }
}

extension SettingsConsole.Options {
    /// Reports an event, if somebody wants to know.
    func audit(
        _ request: SettingsConsole.Request,
        by person: String?,
        refusedAs refusal: SettingsConsole.AuditEvent.Refusal? = nil,
        changes: @autoclosure () -> [SettingsConsole.AuditEvent.Change] = []
    ) {
        guard let onAuditEvent else { return }
        onAuditEvent(
            .init(time: Date(), sender: request.sender, person: person, refusal: refusal, changes: changes())
        )
    }
}
#endif
