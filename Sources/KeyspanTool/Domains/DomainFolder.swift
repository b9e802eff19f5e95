import Keyspan
import KeyspanCore
import KeyspanFileStore

/// The folder with the files of named domains.
struct DomainFolder: Equatable {
    /// The absolute path, without a trailing slash.
    let path: String

    /// A folder, for tests.
    init(path: String) {
        self.path = path
    }

    /// The user's folder: `keyspan` in `$XDG_CONFIG_HOME`, or else in `~/.config`.
    ///
    /// - Throws: ``ToolError`` if the environment has neither as an absolute path, and with status 64 if the path is not UTF-8.
    init() throws(ToolError) {
        let configuration: String?
        do {
            configuration = try UserFolder.configuration()
        } catch {
            throw .usage("The folder for domains cannot be used, because \(error); set it to a path that is UTF-8.")
        }
        try self.init(configuration: configuration)
    }

    /// The folder in an environment, for tests.
    init(environment: [String: String]) throws(ToolError) {
        try self.init(configuration: UserFolder.configuration(in: environment))
    }

    private init(configuration: String?) throws(ToolError) {
        guard let configuration else {
            throw .failure("There is no folder for domains; set HOME or XDG_CONFIG_HOME to an absolute path.")
        }
        path = configuration + "/keyspan"
    }

    /// The domain with a name.
    func domain(named name: String) -> Domain {
        Domain(name: name, path: "\(path)/\(name).json")
    }

    /// The domains with a file here, sorted by name; none if the folder does not exist.
    ///
    /// A name stands for exactly one file, so property lists in the folder have no names, and are reached by their paths.
    ///
    /// - Throws: ``ToolError`` if the folder cannot be read.
    func domains() throws(ToolError) -> [Domain] {
        try files().compactMap(\.text).compactMap(Self.domainName).sorted { $0.utf8Precedes($1) }.map(domain(named:))
    }

    /// The names of files that would be domains if they were UTF-8, sorted.
    ///
    /// - Throws: ``ToolError`` if the folder cannot be read.
    func invalidFiles() throws(ToolError) -> [OutsideText] {
        try files().filter { $0.text == nil && Self.domainName(of: $0.repaired) != nil }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// The name of the domain in a file; `nil` for a file of something else.
    private static func domainName(of file: String) -> String? {
        guard file.hasUTF8Suffix(".json") else { return nil }
        let name = String(decoding: file.utf8.dropLast(".json".utf8.count), as: UTF8.self)
        return Domain.isName(name) ? name : nil
    }

    private func files() throws(ToolError) -> [OutsideText] {
        do {
            return try InterruptRetryingFileSystem().items(inFolder: path)
        } catch let error where error.isNotFound {
            return []
        } catch {
            throw .failure("\(path) cannot be listed (\(error.text)); make this folder readable.")
        }
    }
}

/// The contents of all named domains, and the failures to read some of them.
///
/// A damaged file hides no other domain: the readable domains are shown first, and the failures are reported after them.
struct DomainSurvey {
    /// The domains that can be read, sorted by name, with their contents.
    private(set) var tables: [(domain: Domain, table: PropertyListTable)] = []
    private var failures: [(domain: Domain, error: ToolError)] = []

    /// The sorted names of the domains, including those that cannot be read.
    var names: [String] {
        (tables.map(\.domain.name) + failures.map(\.domain.name)).sorted { $0.utf8Precedes($1) }
    }

    /// Opens every domain of a folder; creates nothing.
    ///
    /// Warns about files whose names are not UTF-8: they are left out, because no argument can name them.
    init(of folder: DomainFolder) throws(ToolError) {
        for file in try folder.invalidFiles() {
            try KeyspanCommand.report(
                "The file \(file) in \(folder.path) is left out: its name is not UTF-8; rename it."
            )
        }
        for domain in try folder.domains() {
            do throws(ToolError) {
                tables.append((domain, try domain.snapshot()))
            } catch {
                failures.append((domain, error))
            }
        }
    }

    /// Reports all failures except the last on standard error, and throws the last.
    func throwFailures() throws(ToolError) {
        for failure in failures.dropLast() {
            try KeyspanCommand.report(failure.error.message)
        }
        if let last = failures.last { throw last.error }
    }
}
