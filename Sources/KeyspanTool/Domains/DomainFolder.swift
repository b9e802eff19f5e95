import KeyspanCore
import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder in which domains that have a name keep their files.
struct DomainFolder: Equatable {
    /// The absolute path, without a slash at its end.
    let path: String

    /// A folder, for tests.
    init(path: String) {
        self.path = path
    }

    /// The user's folder: `keyspan` in `$XDG_CONFIG_HOME`, or else in `~/.config`.
    ///
    /// - Throws: ``ToolError`` if there is no absolute home folder either.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(ToolError) {
        guard let configuration = UserFolder.configuration(in: environment) else {
            throw .failure("There is no folder for domains; set HOME or XDG_CONFIG_HOME to an absolute path.")
        }
        path = configuration + "/keyspan"
    }

    /// The domain of that name.
    func domain(named name: String) -> Domain {
        Domain(name: name, path: "\(path)/\(name).json")
    }

    /// The domains that have a file here, sorted by name; none if the folder does not exist.
    ///
    /// A name means one file only, so property lists in the folder have none: their domains are called by their paths.
    ///
    /// - Throws: ``ToolError`` if the folder cannot be read.
    func domains() throws(ToolError) -> [Domain] {
        let files: [String]
        do {
            files = try InterruptRetryingFileSystem().names(inFolder: path)
        } catch let error where error.isNotFound {
            return []
        } catch {
            throw .failure("\(path) cannot be listed (\(error.text)); let yourself read this folder.")
        }
        let names = files.filter { $0.hasUTF8Suffix(".json") }.map { file in
            String(decoding: file.utf8.dropLast(".json".utf8.count), as: UTF8.self)
        }
        return names.filter(Domain.isName).sorted { $0.utf8Precedes($1) }.map(domain(named:))
    }
}
