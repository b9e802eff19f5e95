import KeyspanFileStore

/// The task of a process.
package struct Invocation: Sendable {
    /// The role of the process.
    package var role: Role
    /// The file that it opens.
    package var path: String
    /// How it opens it.
    package var mode: StoreMode
    /// The name of the process among those with the same role.
    package var name: String
    /// How often it does it; a role that goes on until it is stopped does not look at it.
    package var count: Int
    /// How often it opens the file.
    package var openings: Int

    /// Makes an invocation.
    package init(
        _ role: Role,
        path: String,
        mode: StoreMode = .grouped,
        name: String = "",
        count: Int = 0,
        openings: Int = 1
    ) {
        (self.role, self.path, self.mode, self.name) = (role, path, mode, name)
        (self.count, self.openings) = (count, openings)
    }

    /// The arguments that say this.
    package var arguments: [String] {
        [role.rawValue, path, mode.rawValue, name, "\(count)", "\(openings)"]
    }

    /// Reads ``arguments``.
    init?(arguments: [String]) {
        guard arguments.count == 6,
            let role = Role(rawValue: arguments[0]), let mode = StoreMode(rawValue: arguments[2]),
            let count = Int(arguments[4]), let openings = Int(arguments[5])
        else { return nil }
        self.init(role, path: arguments[1], mode: mode, name: arguments[3], count: count, openings: openings)
    }

    /// Opens the store.
    func open() throws(FileStoreError) -> JSONFileStore {
        try JSONFileStore(path: path, options: mode.options, validate: mode.validator)
    }
}
