#if Remote
/// Why an answer of a server is not taken; a ``RemoteStoreError`` without the name of the store.
struct MessageFlaw: Error {
    let kind: RemoteStoreError.Kind
    let reason: String
    let remedy: String
    let underlying: (any Error)?

    static let lookBetween = "look after the server, or after what is between it and this client"

    init(_ kind: RemoteStoreError.Kind, _ reason: String, _ remedy: String, _ underlying: (any Error)? = nil) {
        (self.kind, self.reason, self.remedy, self.underlying) = (kind, reason, remedy, underlying)
    }

    static func tooLarge(limit: Int) -> MessageFlaw {
        let remedy = "publish less, or raise the maximum size in the options"
        return MessageFlaw(.tooLarge, "the message has more than \(limit) bytes", remedy)
    }

    /// The form is not that of a message.
    static func malformed(_ reason: String) -> MessageFlaw {
        MessageFlaw(.malformed, "the response is not a message: \(reason)", lookBetween)
    }

    /// The JSON has a valid signature and is not that of a document.
    static func unreadable(_ reason: String, _ error: (any Error)? = nil) -> MessageFlaw {
        let remedy = "look after the program that has signed it"
        return MessageFlaw(.unreadableContent, "the message is signed, and \(reason)", remedy, error)
    }

    /// The server has answered with another status than success.
    static func refused(_ status: Int) -> MessageFlaw {
        let isAbsent = [404, 410].contains(status)
        let remedy =
            isAbsent || status == 400
            ? "compare the URL and the group with those of the publisher"
            : "look after the server; the store tries again"
        return MessageFlaw(isAbsent ? .notFound : .refused, "the server has answered with the status \(status)", remedy)
    }

    static var redirected: MessageFlaw {
        let reason = "the server sends the client to another scheme or host, or around in a circle"
        return MessageFlaw(.redirected, reason, "give the store the URL at which the settings are")
    }
}
#endif
