#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
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
    /// The XDG Base Directory Specification has an empty or relative `XDG_CONFIG_HOME` ignored.
    ///
    /// - Throws: ``ToolError`` if there is no absolute home folder either.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(ToolError) {
        if let configuration = environment["XDG_CONFIG_HOME"], configuration.hasPrefix("/") {
            path = configuration + "/keyspan"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.config/keyspan"
        } else {
            throw .failure("There is no folder for domains; set HOME or XDG_CONFIG_HOME to an absolute path.")
        }
    }

    /// The domain of that name.
    func domain(named name: String) -> Domain {
        Domain(name: name, path: "\(path)/\(name).json")
    }

    /// The domains that have a file here, sorted by name; none if the folder does not exist.
    ///
    /// - Throws: ``ToolError`` if the folder cannot be read.
    func domains() throws(ToolError) -> [Domain] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            let failure = POSIXFailure(code: errno)
            throw .failure("\(path) cannot be listed (\(failure)); let yourself read this folder.")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let file = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                // The name ends with a NUL within the field that holds it.
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            guard file.hasSuffix(".json") else { continue }
            let name = String(file.dropLast(".json".count))
            if Domain.isName(name) { names.append(name) }
        }
        return names.sorted().map(domain(named:))
    }
}
