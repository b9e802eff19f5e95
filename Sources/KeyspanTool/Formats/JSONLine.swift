import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON on one line, for programs that read line by line.
enum JSONLine {
    /// The text of a value, in the form of a `.json` file without its line feeds.
    static func text(of value: PropertyListValue) -> String {
        // Strings contain no line feeds, which JSON escapes, so every one of them is between two tokens.
        let lines = JSONText.encodeUnchecked(value).split(separator: UInt8(ascii: "\n"))
        var bytes: [UInt8] = []
        for line in lines {
            if bytes.last == UInt8(ascii: ",") { bytes.append(UInt8(ascii: " ")) }
            bytes += line.drop { $0 == UInt8(ascii: " ") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a value to standard output, with control characters escaped on a terminal.
    static func write(_ value: PropertyListValue) throws(ToolError) {
        let text = text(of: value)
        let stream = StandardStream.output
        try stream.writeLine(stream.style.isTerminal ? ControlCharacters.escaped(inJSON: text) : text)
    }

    /// A time in UTC with milliseconds, such as `2026-11-21T10:50:00.250Z`.
    static func time(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded(.down)
        let second = (milliseconds / 1000).rounded(.down)
        guard let text = DateText.text(for: second) else { return "\(second) s from 2001" }
        let fraction = String(Int(milliseconds - second * 1000))
        let padding = String(repeating: "0", count: 3 - fraction.utf8.count)
        return text.replacing("Z", with: ".\(padding)\(fraction)Z")
    }
}
