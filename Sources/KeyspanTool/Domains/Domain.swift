import KeyspanCore

/// A set of keys that the tool reads and writes, in one file.
struct Domain: Equatable {
    /// The user's name for it, or the path of its file as the user wrote it.
    @UTF8Text private(set) var name: String
    /// The path of its file, which determines the format: JSON unless it ends in `.plist`.
    @UTF8Text private(set) var path: String

    /// Makes the domain of a file.
    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    /// Makes the domain for an argument: a name, or the path of a file if it ends in `.json`, `.jsonc` or `.plist`.
    ///
    /// - Parameters:
    ///   - argument: The argument.
    ///   - folder: The folder of named domains.
    /// - Throws: ``ToolError`` with status 64 if the argument can be neither.
    init(argument: String, in folder: @autoclosure () throws(ToolError) -> DomainFolder) throws(ToolError) {
        if let foreign = DefaultsArgument(argument) { throw foreign.error }
        if Self.isPath(argument) {
            self.init(name: argument, path: argument)
        } else if Self.isName(argument) {
            self = try folder().domain(named: argument)
        } else {
            throw .usage(
                "\(argument.debugDescription) cannot be a domain; give a name without a leading dot or hyphen, "
                    + "or the path of a .json, .jsonc or .plist file."
            )
        }
    }

    /// Whether an argument is the path of a `.json`, `.jsonc` or `.plist` file, absolute or relative to the working directory.
    private static func isPath(_ argument: String) -> Bool {
        guard let format = DomainFormat(path: argument) else { return false }
        return argument != format.pathExtension && !argument.hasUTF8Prefix("-") && !argument.utf8.contains(0)
    }

    /// Whether a text can be the name of a domain: it then names a visible file in the folder.
    ///
    /// A leading hyphen would make it an option, and a trailing `.json`, `.jsonc` or `.plist` a path.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        // Users of macOS expect all programs to read `NSGlobalDomain`, which would be wrong of a file of that name.
        return DomainFormat(path: text) == nil && DefaultsArgument(text) == nil
            && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}

/// The formats of domain files, determined by the ends of their paths.
enum DomainFormat: String, CaseIterable {
    case json, jsonc, plist

    /// The format of a file; `nil` for any other path.
    init?(path: String) {
        guard let format = Self.allCases.first(where: { path.hasUTF8Suffix($0.pathExtension) }) else { return nil }
        self = format
    }

    /// The end of the files' paths.
    var pathExtension: String { ".\(rawValue)" }
}
