import KeyspanCore

/// A set of keys that the tool reads and writes, and the file that holds it.
struct Domain: Equatable {
    /// What the user calls it: its name, or the path of its file.
    @UTF8Text private(set) var name: String
    /// The path of its file, which tells the format: JSON unless it ends in `.plist`.
    @UTF8Text private(set) var path: String

    /// Makes a domain of a file.
    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    /// Finds the domain that an argument means: a name, or the path of a file if it ends in `.json` or `.plist`.
    ///
    /// - Parameters:
    ///   - argument: What the user wrote.
    ///   - folder: Where domains with a name are.
    /// - Throws: ``ToolError`` with status 64 if the argument can be neither.
    init(argument: String, in folder: @autoclosure () throws(ToolError) -> DomainFolder) throws(ToolError) {
        if Self.isPath(argument) {
            self.init(name: argument, path: argument)
        } else if Self.isName(argument) {
            self = try folder().domain(named: argument)
        } else {
            throw .usage(
                "\(argument.debugDescription) cannot be a domain; give a name that begins with no dot or hyphen, "
                    + "or the path of a .json or .plist file."
            )
        }
    }

    /// Whether an argument is the path of a `.json` or `.plist` file, absolute or from the working directory.
    private static func isPath(_ argument: String) -> Bool {
        guard let format = DomainFormat(path: argument) else { return false }
        return argument != format.pathExtension && !argument.hasUTF8Prefix("-") && !argument.utf8.contains(0)
    }

    /// Whether a text can be the name of a domain: the name of a file that is inside the folder and not hidden.
    ///
    /// A name that begins with a hyphen would be an option, and one that ends in `.json` or `.plist` a path.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return DomainFormat(path: text) == nil && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}

/// The formats that the files of domains have, told by how their paths end.
enum DomainFormat: String, CaseIterable {
    case json, plist

    /// The format of a file; `nil` if the path ends like none.
    init?(path: String) {
        guard let format = Self.allCases.first(where: { path.hasUTF8Suffix($0.pathExtension) }) else { return nil }
        self = format
    }

    /// How the paths of the files end.
    var pathExtension: String { ".\(rawValue)" }
}
