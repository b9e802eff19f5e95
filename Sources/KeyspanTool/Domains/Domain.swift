import KeyspanCore
import KeyspanFileStore

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

    /// The purpose for which a command opens a domain.
    enum Access {
        case reading, writing
        /// A completion asks for it, which reports nothing.
        case completing
    }

    /// Makes the domain for an argument: a name, the path of a file if it ends in `.json`, `.jsonc` or `.plist`, or the URL of a prefix
    /// of a cluster.
    ///
    /// A name that two files have is reported.
    ///
    /// - Parameters:
    ///   - argument: The argument.
    ///   - folder: The folder of named domains.
    ///   - access: The purpose of the command.
    /// - Throws: ``ToolError`` with status 64 if the argument can be none of these, or is ambiguous and would be written.
    init(
        argument: String,
        in folder: @autoclosure () throws(ToolError) -> DomainFolder,
        for access: Access = .reading
    ) throws(ToolError) {
        if let foreign = DefaultsArgument(argument) { throw foreign.error }
        if argument.hasUTF8Prefix("etcd://") || argument.hasUTF8Prefix("etcds://") {
            self = try Self.cluster(argument, for: access)
        } else if Self.isPath(argument) {
            self.init(name: argument, path: argument)
        } else if Self.isName(argument) {
            let folder = try folder()
            self = folder.domain(named: argument)
            try checkIsNoOtherFile()
            guard access != .completing, let clash = folder.clash(named: argument) else { return }
            if access == .writing { throw .usage("\(clash); give the path of the one to change.") }
            KeyspanCommand.report("\(clash).")
        } else {
            throw .usage(
                "\(argument.quoted) cannot be a domain; give a name without a leading dot or hyphen, "
                    + "or the path of a .json, .jsonc or .plist file."
            )
        }
    }

    /// Throws for a name that a person probably means as the path of another file, such as `settings.yaml`.
    private func checkIsNoOtherFile() throws(ToolError) {
        let isForeign = Self.foreignExtensions.contains { name.lowercased().hasUTF8Suffix($0) }
        let found = try? InterruptRetryingFileSystem().status(ofItemAt: name)
        // A program may have the name of its domain.
        let isFile = found.map { $0.kind == .regular && $0.permissions & 0o111 == 0 } ?? false
        guard let file, [isForeign, isFile, !file.isStored].count(where: \.self) > 1 else { return }
        throw .usage(
            "The name \(name.quoted) is probably meant as another file, and domains are JSON files and property lists; give the path "
                + "of a .json, .jsonc or .plist file, which for a domain of that name is \(file.path)."
        )
    }

    /// The ends of names that other formats have, and those of this tool in another case.
    private static let foreignExtensions =
        ["yaml", "yml", "toml", "env", "ini", "conf", "xml", "json", "jsonc", "plist"].map { ".\($0)" }

    private static func cluster(_ url: String, for access: Access) throws(ToolError) -> Domain {
        #if Etcd
        let prefix = try ClusterPrefix(url: url)
        if access != .completing { try prefix.checkIsWhole() }
        return Domain(name: url, place: .cluster(prefix))
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
