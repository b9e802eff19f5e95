import KeyspanCore

/// A set of keys that the tool reads and writes: a file, or a prefix of an etcd cluster.
struct Domain: Equatable {
    /// The place of the keys.
    enum Place: Equatable {
        case file(DomainFile)
        #if Etcd
        case cluster(ClusterPrefix)
        #endif
    }

    /// The user's name for it, or the path of its file or the URL of its prefix as the user wrote it.
    @UTF8Text private(set) var name: String
    /// The place of its keys.
    let place: Place

    /// The file; `nil` for a prefix of a cluster, whose keys are its entries and are never nested in others.
    var file: DomainFile? {
        if case .file(let file) = place { file } else { nil }
    }

    /// Makes the domain of a place.
    init(name: String, place: Place) {
        self.place = place
        self.name = name
    }

    /// Makes the domain of a file.
    init(name: String, path: String) {
        self.init(name: name, place: .file(DomainFile(path: path)))
    }

    /// Makes the domain for an argument: a name, the path of a file if it ends in `.json`, `.jsonc` or `.plist`, or the URL of a prefix
    /// of a cluster.
    ///
    /// - Parameters:
    ///   - argument: The argument.
    ///   - folder: The folder of named domains.
    /// - Throws: ``ToolError`` with status 64 if the argument can be none of these.
    init(argument: String, in folder: @autoclosure () throws(ToolError) -> DomainFolder) throws(ToolError) {
        if let foreign = DefaultsArgument(argument) { throw foreign.error }
        if argument.hasUTF8Prefix("etcd://") {
            self = try Self.cluster(argument)
        } else if Self.isPath(argument) {
            self.init(name: argument, path: argument)
        } else if Self.isName(argument) {
            self = try folder().domain(named: argument)
        } else {
            throw .usage(
                "\(argument.quoted) cannot be a domain; give a name without a leading dot or hyphen, "
                    + "or the path of a .json, .jsonc or .plist file."
            )
        }
    }

    private static func cluster(_ url: String) throws(ToolError) -> Domain {
        #if Etcd
        Domain(name: url, place: .cluster(try ClusterPrefix(url: url)))
        #else
        throw .usage(
            "This build of keyspan does not know etcd:// domains; build it with `swift build --traits Etcd --product keyspan`."
        )
        #endif
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
