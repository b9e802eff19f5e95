#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Where the files of the present user belong.
package enum UserFolder {
    /// The folder for configuration: `$XDG_CONFIG_HOME`, or else `.config` in the home folder.
    ///
    /// An empty or relative `$XDG_CONFIG_HOME` is ignored, as the XDG Base Directory Specification asks.
    ///
    /// - Parameter environment: The environment of the process.
    /// - Returns: An absolute path, or `nil` if the environment names no home folder either.
    package static func configuration(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], AbsolutePath.isAbsolute(folder) { return folder }
        if let home = environment["HOME"], AbsolutePath.isAbsolute(home) { return home + "/.config" }
        return nil
    }
}
