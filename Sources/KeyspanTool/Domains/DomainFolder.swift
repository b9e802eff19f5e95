import Keyspan
import KeyspanCore
import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    /// - Throws: ``ToolError`` if the environment has neither as an absolute path.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(ToolError) {
        guard let configuration = UserFolder.configuration(in: environment) else {
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
        let files: [String]
        do {
            files = try InterruptRetryingFileSystem().names(inFolder: path)
        } catch let error where error.isNotFound {
            return []
        } catch {
            throw .failure("\(path) cannot be listed (\(error.text)); make this folder readable.")
        }
        let names = files.filter { $0.hasUTF8Suffix(".json") }.map { file in
            String(decoding: file.utf8.dropLast(".json".utf8.count), as: UTF8.self)
        }
        return names.filter(Domain.isName).sorted { $0.utf8Precedes($1) }.map(domain(named:))
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
    init(of folder: DomainFolder) throws(ToolError) {
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
