package import KeyspanCore

/// Where the files of the present user belong.
package enum UserFolder {
    /// The folder for configuration: `$XDG_CONFIG_HOME`, or else `.config` in the home folder.
    ///
    /// An empty or relative `$XDG_CONFIG_HOME` is ignored, as the XDG Base Directory Specification asks.
    ///
    /// - Returns: An absolute path, or `nil` if the environment of the process names no home folder either.
    /// - Throws: `InvalidTextError` if the variable is not UTF-8, because a repaired text would name another folder.
    package static func configuration() throws(InvalidTextError) -> String? {
        try configuration { (name) throws(InvalidTextError) in
            try OutsideText.variable(name)?.valid(from: "the variable \(name)")
        }
    }

    /// The folder for configuration in another environment.
    package static func configuration(in environment: [String: String]) -> String? {
        configuration { environment[$0] }
    }

    private static func configuration<Failure: Error>(
        _ variable: (String) throws(Failure) -> String?
    ) throws(Failure) -> String? {
        if let folder = try variable("XDG_CONFIG_HOME"), AbsolutePath.isAbsolute(folder) { return folder }
        if let home = try variable("HOME"), AbsolutePath.isAbsolute(home) { return home + "/.config" }
        return nil
    }
}
