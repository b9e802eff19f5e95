import Foundation
@_spi(StoreAuthors) import KeyspanCore
import LibFuzzer

// Testable, because what reads messages is internal.
@_spi(StoreAuthors) @testable import KeyspanRemote

/// Checks the properties of the reader of signed messages that hold for any bytes.
///
/// The bytes are read as a message, and their lines as the contents of messages that a publisher has signed: changes
/// to signed bytes break the signature, but the code after its check needs input, too.
struct MessageCheck {
    private static let limit = 1 << 20
    private static let key = makeKey()
    private static let verifier = MessageVerifier(
        store: "store",
        publisher: "test",
        keys: [key.id: key.verificationKey],
        maximumSize: limit,
        clockTolerance: .zero
    )

    let text: [UInt8]

    func run() {
        checkReading()
        let contents = text.split(separator: 0x0A).map { Array($0) }
        let messages = contents.map { SignedMessage($0, signedWith: Self.key).bytes }
        for (content, message) in zip(contents, messages) { checkSigned(message, content) }
        checkChain(messages)
    }

    /// Checks that a message which nobody has signed is refused, whatever its form.
    private func checkReading() {
        guard let message = try? SignedMessage(reading: text, atMost: Self.limit) else { return }
        let line = "keyspan-settings 1 \(message.keyID) \(Base64.text(of: message.signature))\n"
        let written = Array(line.utf8) + message.content
        Fuzzing.check(text.starts(with: written), "a message was read as another one")
        Fuzzing.check(text.count <= written.count + 1, "a message has more than its two lines")
        let isRefused = (try? Self.verifier.message(text, at: nil)) == nil
        Fuzzing.check(isRefused, "a message was taken without a signature")
    }

    /// Checks that a signed message is read as it was signed, and refused after any change.
    private func checkSigned(_ bytes: [UInt8], _ content: [UInt8]) {
        do {
            let message = try SignedMessage(reading: bytes, atMost: Self.limit)
            Fuzzing.check(message.content == content && message.bytes == bytes, "a message was read as another one")
            try message.verify(with: [Self.key.id: Self.key.verificationKey])
        } catch {
            Fuzzing.check(false, "a signed message is refused: \(error)")
        }
        var changed = bytes
        // The place of the change differs between inputs, and never changes for one input.
        let place = content.reduce(UInt(0)) { $0 &* 31 &+ UInt($1) }
        changed[Int(place % UInt(bytes.count - 1))] ^= 1 << UInt8(place / UInt(bytes.count) % 8)
        Fuzzing.check((try? Self.verifier.message(changed, at: nil)) == nil, "a changed message was taken")
        guard let message = try? SettingsMessage(content: content) else { return }
        let written = message.content
        do {
            // Times are written in whole seconds, so the first text can have other ones.
            let again = try SettingsMessage(content: written)
            Fuzzing.check(again.content == written, "a message is not always written alike")
            Fuzzing.check(again.values == message.values && again.kind == message.kind, "a message has other values")
        } catch {
            Fuzzing.check(false, "a written message cannot be read: \(error)")
        }
    }

    /// Checks what a client makes of a sequence of messages.
    private func checkChain(_ messages: [[UInt8]]) {
        guard let version = try? Self.verifier.version(of: messages) else { return }
        Fuzzing.check(version.size <= messages.reduce(0) { $0 + $1.count }, "a version has other messages")
        guard let last = messages.last, let latest = try? Self.verifier.message(last, at: nil) else { return }
        Fuzzing.check(version.position.state == latest.state, "a version is not that of its last message")
        for (name, value) in latest.values {
            Fuzzing.check(version.values[name] == value, "a version has another value than its last message")
        }
    }

    private static func makeKey() -> SigningKey {
        guard let key = try? SigningKey(id: "fuzz", rawRepresentation: Array(1...32)) else {
            fatalError("32 bytes are no key")
        }
        return key
    }
}
