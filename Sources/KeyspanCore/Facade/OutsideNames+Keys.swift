// Stores below the keys know only the names of entries; these initializers take the keys themselves.

extension EnvironmentStore {
    /// Makes a store of environment variables, and reports those with the prefix that none of the given keys has.
    ///
    /// Each is reported once to ``Defaults/onProblem(_:)``, with the nearest key's variable. Nothing is reported without keys, or
    /// with an empty prefix: then every variable of the process would be one.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the variables' names, such as `GREETER_`. With an empty prefix, all variables of the
    ///     process are settings.
    ///   - keys: Keys of the program. The store finds their variables whatever their spelling is.
    ///   - alsoKnown: Variables with the prefix that the program reads itself, by their whole names.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - environment: The variables; those of the process if `nil`.
    ///   - name: The name of the store in errors and diagnostics.
    public convenience init(
        prefix: String,
        keys: [Defaults.AnyKey] = [],
        alsoKnown: [String] = [],
        spelling: KeySpelling = .camelCase,
        environment: [String: String]? = nil,
        name: String = "environment"
    ) {
        let names = VariableNames(prefix: prefix, keys: keys, spelling: spelling)
        let variables = OutsideText.variables(environment)
        self.init(names: names, environment: variables, name: name)
        Defaults.UnknownName.report(unknownNames(among: variables, alsoKnown: alsoKnown))
    }

    /// Makes a store of environment variables that reports those with the prefix that no key has, refuses them, or ignores them.
    ///
    /// ```swift
    /// let port = Defaults.Key<Int>("port", default: 80)
    /// do {
    ///     _ = try EnvironmentStore(
    ///         prefix: "GREETER_",
    ///         keys: [port],
    ///         unknownNames: .strict,
    ///         environment: ["GREETER_PROT": "8080"]
    ///     )
    /// } catch {
    ///     print(error)  // prints: environment variable GREETER_PROT: no key has this variable; did you mean GREETER_PORT?
    /// }
    /// ```
    ///
    /// A variable of a dictionary's member is known if the key of the dictionary is. With an empty prefix nothing is unknown.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the variables' names, such as `GREETER_`.
    ///   - keys: All keys of the program. Without keys nothing is unknown.
    ///   - unknownNames: What happens to variables with the prefix that none of the keys has.
    ///   - alsoKnown: Variables with the prefix that the program reads itself, by their whole names.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - environment: The variables; those of the process if `nil`.
    ///   - name: The name of the store in errors and diagnostics.
    /// - Throws: ``Defaults/UnknownNamesError`` with all such variables if `unknownNames` is strict.
    public convenience init(
        prefix: String,
        keys: [Defaults.AnyKey],
        unknownNames: Defaults.UnknownNames,
        alsoKnown: [String] = [],
        spelling: KeySpelling = .camelCase,
        environment: [String: String]? = nil,
        name: String = "environment"
    ) throws(Defaults.UnknownNamesError) {
        let names = VariableNames(prefix: prefix, keys: keys, spelling: spelling)
        let variables = OutsideText.variables(environment)
        self.init(names: names, environment: variables, name: name)
        try unknownNames.apply { self.unknownNames(among: variables, alsoKnown: alsoKnown) }
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
    /// Makes a store of arguments, and reports those with two hyphens that none of the given keys has.
    ///
    /// Each is reported once to ``Defaults/onProblem(_:)``, with the nearest key's argument. Nothing is reported without keys.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, those of the process by default; the name of the program may be among them. If they are
    ///     `CommandLine.arguments` or its last elements, the bytes of arguments that are not UTF-8 are known, too.
    ///   - keys: Keys of the program. Flags of several words stand for them whatever their spelling is.
    ///   - alsoKnown: Arguments that the program reads itself, with their hyphens and without values, such as `--help`.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - name: The name of the store in errors and diagnostics.
    public convenience init(
        _ arguments: [String] = CommandLine.arguments,
        keys: [Defaults.AnyKey] = [],
        alsoKnown: [String] = [],
        spelling: KeySpelling = .camelCase,
        name: String = "arguments"
    ) {
        let names = ArgumentNames(keys: keys, spelling: spelling)
        let texts = OutsideText.originals(of: arguments)
        self.init(LaunchArguments(texts, names: names), names: names, name: name)
        Defaults.UnknownName.report(names.unknown(among: texts, alsoKnown: alsoKnown, store: name))
    }

    /// Makes a store of arguments that reports those with two hyphens that no key has, refuses them, or ignores them.
    ///
    /// ```swift
    /// let listenPort = Defaults.Key<Int>("port", default: 80)
    /// do {
    ///     _ = try LaunchArgumentsStore(
    ///         ["greeter", "--prot=8080", "--version"],
    ///         keys: [listenPort],
    ///         unknownNames: .strict,
    ///         alsoKnown: ["--help", "--version"]
    ///     )
    /// } catch {
    ///     print(error)  // prints: arguments --prot: no key has this argument; did you mean --port?
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - arguments: The arguments, those of the process by default; the name of the program may be among them. If they are
    ///     `CommandLine.arguments` or its last elements, the bytes of arguments that are not UTF-8 are known, too.
    ///   - keys: All keys of the program. Without keys nothing is unknown.
    ///   - unknownNames: What happens to arguments with two hyphens that none of the keys has.
    ///   - alsoKnown: Arguments that the program reads itself, with their hyphens and without values, such as `--help`.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - name: The name of the store in errors and diagnostics.
    /// - Throws: ``Defaults/UnknownNamesError`` with all such arguments if `unknownNames` is strict.
    public convenience init(
        _ arguments: [String] = CommandLine.arguments,
        keys: [Defaults.AnyKey],
        unknownNames: Defaults.UnknownNames,
        alsoKnown: [String] = [],
        spelling: KeySpelling = .camelCase,
        name: String = "arguments"
    ) throws(Defaults.UnknownNamesError) {
        let names = ArgumentNames(keys: keys, spelling: spelling)
        let texts = OutsideText.originals(of: arguments)
        self.init(LaunchArguments(texts, names: names), names: names, name: name)
        try unknownNames.apply { names.unknown(among: texts, alsoKnown: alsoKnown, store: name) }
    }
}

extension ArgumentNames {
    /// Makes the names of the arguments of keys.
    package init(keys: [Defaults.AnyKey], spelling: KeySpelling) {
        self.init(entries: keys.flatMap { $0.entryNames }, spelling: spelling)
    }
}

extension LaunchArguments {
    /// Reads arguments for keys; the name of the program may be among the arguments.
    package init(_ arguments: [String], keys: [Defaults.AnyKey] = [], spelling: KeySpelling = .camelCase) {
        self.init(OutsideText.originals(of: arguments), keys: keys, spelling: spelling)
    }

    /// Reads arguments as the system passes them.
    package init(_ arguments: [OutsideText], keys: [Defaults.AnyKey] = [], spelling: KeySpelling = .camelCase) {
        self.init(arguments, names: ArgumentNames(keys: keys, spelling: spelling))
    }
}
