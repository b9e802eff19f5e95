package import KeyspanCore

/// Where the files of the present user belong.
package enum UserFolder {
    /// The folder for configuration: `$XDG_CONFIG_HOME`, or else `.config` in the home folder.
    ///
    /// An empty or relative `$XDG_CONFIG_HOME` is ignored, as the XDG Base Directory Specification asks.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    /// - Returns: An absolute path, or `nil` if the environment names no home folder either.
    /// - Throws: `InvalidTextError` if the variable is not UTF-8, because a repaired text would name another folder.
    package static func configuration(
        variable: (String) -> OutsideText? = OutsideText.variable
    ) throws(InvalidTextError) -> String? {
        try folder { (name) throws(InvalidTextError) in
            try variable(name)?.valid(from: "the variable \(name)")
        }
    }

    /// The folder for configuration in another environment.
    package static func configuration(in environment: [String: String]) -> String? {
        folder { environment[$0] }
    }

    private static func folder<Failure: Error>(
        _ variable: (String) throws(Failure) -> String?
    ) throws(Failure) -> String? {
        if let folder = try variable("XDG_CONFIG_HOME"), AbsolutePath.isAbsolute(folder) { return folder }
        if let home = try variable("HOME"), AbsolutePath.isAbsolute(home) { return home + "/.config" }
        return nil
    }
}
