import Keyspan
import KeyspanCore
import KeyspanFileStore

/// The folder with the files of named domains.
struct DomainFolder: Equatable {
    /// The absolute path, without a trailing slash.
    let path: String
    /// The standard stores, whose names are domains as well.
    let standardStores: StandardStoreFiles?

    /// A folder, for tests.
    init(path: String, standardStores: StandardStoreFiles? = nil) {
        self.path = path
        self.standardStores = standardStores
    }

    /// The user's folder: `keyspan` in `$XDG_CONFIG_HOME`, or else in `~/.config`.
    ///
    /// - Throws: ``ToolError`` if the environment has neither as an absolute path, and with status 64 if the path is not UTF-8.
    init() throws(ToolError) {
        let configuration: String?
        do {
            configuration = try UserFolder.configuration(variable: ToolContext.current.variable)
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
        standardStores = StandardStoreFiles(folder: configuration)
    }

    /// The domain with a name: the file of that name here, or else the standard store of a program, if there is one.
    func domain(named name: String) -> Domain {
        let file = DomainFile(path: "\(path)/\(name).json")
        guard let standardStores, standardStores.contains(name), !file.isStored else {
            return Domain(name: name, place: .file(file))
        }
        return Domain(name: name, path: standardStores.path(ofProgram: name))
    }

    /// The sentence about a name that both a file here and a standard store have, without its full stop; `nil` for any other name.
    func clash(named name: String) -> String? {
        let file = DomainFile(path: "\(path)/\(name).json")
        guard let standardStores, standardStores.contains(name), file.isStored else { return nil }
        return
            "The domain \(name.quoted) is \(file.path); the standard store of the program of that name is reached by its path, "
            + standardStores.path(ofProgram: name)
    }

    /// The domains with a file, sorted by name: those here, and the standard stores.
    ///
    /// - Throws: ``ToolError`` if the folder cannot be read.
    func domains() throws(ToolError) -> [Domain] {
        let named = try namedDomains()
        let names = Set<UTF8Text>(named.map(\.name))
        let standard = (standardStores?.programs ?? []).map { (program) -> Domain in
            let path = standardStores?.path(ofProgram: program) ?? program
            return Domain(name: names.contains(program) ? path : program, path: path)
        }
        return (named + standard).sorted { $0.name.utf8Precedes($1.name) }
    }

    /// The domains with a file here, sorted by name; none if the folder does not exist.
    ///
    /// A name stands for exactly one file, so property lists in the folder have no names, and are reached by their paths.
    ///
    /// - Throws: ``ToolError`` if the folder cannot be read.
    private func namedDomains() throws(ToolError) -> [Domain] {
        try files().compactMap(\.text).compactMap(Self.domainName).map { Domain(name: $0, path: "\(path)/\($0).json") }
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

    /// The domains, sorted by name, including those that cannot be read.
    var domains: [Domain] {
        (tables.map(\.domain) + failures.map(\.domain)).sorted { $0.name.utf8Precedes($1.name) }
    }

    /// The sentences about names that both a file in the folder and a standard store have.
    func clashes(in folder: DomainFolder) -> [String] {
        guard let standardStores = folder.standardStores else { return [] }
        let names = domains.map(\.name)
        let paths = Set<UTF8Text>(names)
        return names.compactMap { name in
            let path = standardStores.path(ofProgram: name)
            return Domain.isName(name) && paths.contains(path) ? folder.clash(named: name).map { "\($0)." } : nil
        }
    }

    /// Opens every domain of a folder; creates nothing.
    ///
    /// Warns about files whose names are not UTF-8: they are left out, because no argument can name them.
    init(of folder: DomainFolder) throws(ToolError) {
        for file in try folder.invalidFiles() {
            KeyspanCommand.report(
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

    /// Hides what a policy hides, and says so.
    mutating func hideSecrets(by policy: SecretPolicy) {
        var hiding: [SecretMask] = []
        for (index, (domain, table)) in tables.enumerated() {
            let mask = policy.mask(of: domain, table)
            tables[index].table = mask.masked(table)
            if tables[index].table != table { hiding.append(mask) }
        }
        SecretMask.reportHiddenValues(by: hiding)
    }

    /// Reports all failures except the last on standard error, and throws the last.
    func throwFailures() throws(ToolError) {
        for failure in failures.dropLast() {
            KeyspanCommand.report(failure.error.message)
        }
        if let last = failures.last { throw last.error }
    }
}
