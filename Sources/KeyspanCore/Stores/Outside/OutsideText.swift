#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The C declaration of `environ` is a global variable.
#if canImport(Glibc)
@preconcurrency internal import Glibc
#elseif canImport(Musl)
@preconcurrency internal import Musl
#else
internal import Darwin
#endif

/// A text that the system passes as bytes: an argument, the value of an environment variable or the name of a file.
///
/// `CommandLine`, `ProcessInfo` and `String(cString:)` replace the bytes that are not UTF-8 by U+FFFD, so two files or values
/// become one. Where that would lose something, the bytes are read with this type.
package struct OutsideText: Sendable, Hashable {
    /// The bytes, without the NUL at their end.
    package let bytes: [UInt8]

    /// Wraps bytes.
    package init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Wraps a text.
    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Copies a C string.
    package init(cString: UnsafePointer<CChar>) {
        bytes = Array(UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
    }

    /// The text; `nil` if the bytes are not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The text in the form of Swift's own functions, with U+FFFD in place of invalid bytes.
    package var repaired: String { String(decoding: bytes, as: UTF8.self) }

    /// The text as a value: a string, or data if the bytes are not UTF-8.
    package var value: PropertyListValue { text.map { .string($0) } ?? .data(Data(bytes)) }

    /// The part of a path behind the last slash.
    package var lastComponent: OutsideText { OutsideText(bytes.split(separator: UInt8(ascii: "/")).last ?? []) }

    /// Whether the first bytes are those of a text.
    func hasPrefix(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
}

extension OutsideText: CustomStringConvertible {
    /// The text in quotes, with each byte beyond ASCII as in `\xff` if the bytes are not UTF-8.
    package var description: String {
        if let text { return text.quoted }
        let characters = bytes.map { byte in
            byte < 0x80
                ? Unicode.Scalar(byte).escaped(asASCII: true) : "\\x" + String(byte, radix: 16)
        }
        return "\"\(characters.joined())\""
    }
}

extension OutsideText {
    /// The arguments of the process, the program's name among them.
    package static var arguments: [OutsideText] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { OutsideText(cString: $0) } }
    }

    /// The bytes of arguments that Swift has decoded.
    ///
    /// - Parameter texts: All arguments of the process, or the last ones; other texts are their own bytes.
    static func originals(of texts: [String]) -> [OutsideText] {
        let originals = arguments.suffix(texts.count)
        let isOfProcess =
            originals.count == texts.count
            && zip(originals, texts).allSatisfy { original, text in
                original.repaired.hasSameUTF8(as: text)
            }
        return isOfProcess ? Array(originals) : texts.map { OutsideText($0) }
    }

    /// The value of an environment variable of the process; `nil` if it is not set.
    package static func variable(_ name: String) -> OutsideText? {
        getenv(name).map { OutsideText(cString: $0) }
    }

    /// The environment variables of the process whose names are UTF-8.
    ///
    /// Unlike `ProcessInfo`, it keeps names apart that are equal by Unicode's canonical equivalence.
    package static var environment: TextDictionary<OutsideText> {
        #if canImport(Darwin)
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = _NSGetEnviron().pointee
        #else
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        #endif
        var definitions: [OutsideText] = []
        while let definition = next?.pointee {
            definitions.append(OutsideText(cString: definition))
            next = next?.successor()
        }
        return environment(of: definitions)
    }

    /// The variables that a caller gave; those of the process for `nil`.
    package static func variables(_ given: [String: String]?) -> TextDictionary<OutsideText> {
        given.map { TextDictionary($0.map { ($0.key, OutsideText($0.value)) }) } ?? environment
    }

    /// The variables of definitions such as `A=1`; the first one of a name counts, as for `getenv(3)`.
    static func environment(of definitions: [OutsideText]) -> TextDictionary<OutsideText> {
        var variables: TextDictionary<OutsideText> = [:]
        for definition in definitions {
            let parts = definition.bytes.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, let name = OutsideText(parts[0]).text, variables[name] == nil else { continue }
            variables[name] = OutsideText(parts[1])
        }
        return variables
    }
}

/// A text from outside of the program that is not UTF-8, although a path or an option is made of it.
package struct InvalidTextError: Error, CustomStringConvertible {
    /// The source of the text, such as `the variable HOME`.
    package let source: String
    /// The text.
    package let text: OutsideText

    /// The error as a clause.
    package var description: String { "\(source) is not UTF-8: \(text)" }
}

extension OutsideText {
    /// The text, for use where no byte may be replaced.
    ///
    /// - Parameter source: The source of the text, for the error.
    /// - Throws: ``InvalidTextError`` if the bytes are not UTF-8.
    package func valid(from source: String) throws(InvalidTextError) -> String {
        guard let text else { throw InvalidTextError(source: source, text: self) }
        return text
    }
}
