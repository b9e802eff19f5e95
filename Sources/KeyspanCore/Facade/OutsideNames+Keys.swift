// Stores below the keys know only the names of entries; these initializers take the keys themselves.

extension EnvironmentStore {
    /// Makes a store of environment variables.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the variables' names, such as `GREETER_`. With an empty prefix, all variables of the
    ///     process are settings.
    ///   - keys: Keys of the program. The store finds their variables whatever their spelling is.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - environment: The variables; those of the process if `nil`.
    ///   - name: The name of the store in errors and diagnostics.
    public convenience init(
        prefix: String,
        keys: [Defaults.AnyKey] = [],
        spelling: KeySpelling = .camelCase,
        environment: [String: String]? = nil,
        name: String = "environment"
    ) {
        self.init(
            names: VariableNames(prefix: prefix, keys: keys, spelling: spelling),
            environment: OutsideText.variables(environment),
            name: name
        )
    }

    /// Makes a store of environment variables as the system passes them.
    package convenience init(prefix: String, variables: TextDictionary<OutsideText>) {
        let names = VariableNames(prefix: prefix, keys: [], spelling: .camelCase)
        self.init(names: names, environment: variables, name: "environment")
    }
}

extension VariableNames {
    /// Makes the names of the variables of keys.
    package init(prefix: String, keys: [Defaults.AnyKey], spelling: KeySpelling) {
        self.init(prefix: prefix, entries: keys.flatMap { $0.entryNames }, spelling: spelling)
    }
}

extension LaunchArgumentsStore {
    /// Makes a store of arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, those of the process by default; the name of the program may be among them. If they are
    ///     `CommandLine.arguments` or its last elements, the bytes of arguments that are not UTF-8 are known, too.
    ///   - keys: Keys of the program. Flags of several words stand for them whatever their spelling is.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - name: The name of the store in errors and diagnostics.
    public convenience init(
        _ arguments: [String] = CommandLine.arguments,
        keys: [Defaults.AnyKey] = [],
        spelling: KeySpelling = .camelCase,
        name: String = "arguments"
    ) {
        self.init(LaunchArguments(arguments, keys: keys, spelling: spelling), name: name)
    }
}

extension LaunchArguments {
    /// Reads arguments for keys; the name of the program may be among the arguments.
    package init(_ arguments: [String], keys: [Defaults.AnyKey] = [], spelling: KeySpelling = .camelCase) {
        self.init(OutsideText.originals(of: arguments), keys: keys, spelling: spelling)
    }

    /// Reads arguments as the system passes them.
    package init(_ arguments: [OutsideText], keys: [Defaults.AnyKey] = [], spelling: KeySpelling = .camelCase) {
        self.init(arguments, entries: keys.flatMap { $0.entryNames }, spelling: spelling)
    }
}
