package import KeyspanCore

/// A path that begins at the root, so that it means the same file whatever the working folder becomes.
///
/// It is not normalised: after a symbolic link, `..` is not the folder before it. Two paths are equal if their UTF-8 is.
package struct AbsolutePath: Sendable, Hashable {
    /// The path as text.
    @UTF8Text package private(set) var text: String

    /// Makes a path of a text, which starts from a folder if it is relative.
    package init(_ text: String, relativeTo folder: String) {
        self.text = Self.isAbsolute(text) ? text : Self.join(folder, text)
    }

    /// Whether a path begins at the root.
    package static func isAbsolute(_ text: String) -> Bool {
        text.utf8.first == separator
    }

    /// The name behind the last separator; empty if the path ends with one.
    package var name: String { String(text[text.utf8.index(after: lastSeparator)...]) }

    /// The folder that the file is in.
    package var folder: String {
        let start = text.startIndex
        return lastSeparator == start ? "/" : String(text[start..<lastSeparator])
    }

    /// A file of another name in the same folder.
    package func sibling(_ name: String) -> AbsolutePath {
        AbsolutePath(name, relativeTo: folder)
    }

    /// In bytes, as the system sees it: with a combining mark behind it a separator is not a character of its own.
    private var lastSeparator: String.Index {
        // An absolute path has a separator at its start.
        text.utf8.lastIndex(of: Self.separator) ?? text.startIndex
    }

    private static let separator = UInt8(ascii: "/")

    private static func join(_ folder: String, _ name: String) -> String {
        folder.utf8.last == separator ? folder + name : "\(folder)/\(name)"
    }
}
