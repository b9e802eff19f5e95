/// The settings in a program's environment variables as a store: a high layer of a ``LayeredStore``.
///
/// ```swift
/// let port = Defaults.Key<Int>("server.port", default: 80)
/// let store = EnvironmentStore(prefix: "GREETER_", keys: [port], environment: ["GREETER_SERVER__PORT": "8080"])
/// print(Defaults(store)[port])  // prints: 8080
/// ```
///
/// The variable of a key has the store's prefix and the words of the key in capital letters, joined by `_`; a dot in the key
/// is `__`. A word ends where a capital letter follows a small one, and at each character other than a letter or digit:
///
/// | key | variable, with the prefix `GREETER_` |
/// | --- | --- |
/// | `port` | `GREETER_PORT` |
/// | `launchCount` | `GREETER_LAUNCH_COUNT` |
/// | `sha256Sum` | `GREETER_SHA256_SUM` |
/// | `server.port` | `GREETER_SERVER__PORT` |
/// | `server`, a dictionary with a member `port` | `GREETER_SERVER__PORT` |
/// | `launch_count`, `launch-count` | `GREETER_LAUNCH_COUNT`, if the key is given or spelled so |
/// | `maxURLLength` | `GREETER_MAX_URL_LENGTH`, if the key is given |
///
/// Some keys would have the same variable. It stands for those that the store was given, all of them; if it was given none,
/// for the key that has the store's ``KeySpelling``. A key that was not given and that has another spelling has no variable,
/// which ``variableName(forKey:)`` tells. So give the store the keys of the program. Variables that no key can have, such as
/// those with small letters, are passed over.
///
/// A variable with `__` gives a value to the key with a dot, and to a dictionary in the key before it; both can be read. A
/// variable that stands for the whole dictionary comes before those of its members. Numbers are names of members too: an
/// array is written in one variable, as a property list of the old style, `GREETER_PORTS='(80, 443)'`.
///
/// Variables with the prefix that none of the given keys has are reported, each with the nearest key's variable, or stop the
/// program if the store is strict. With an empty prefix none is: the environment has variables of every program. A variable
/// whose prefix is misspelt is not one of the store's.
///
/// The values are text, exactly as in the environment, which keys of other types convert by <doc:CoercingValues>. A value that is
/// not UTF-8 is data with its bytes, so a key of another type reports that it cannot read the variable. Variables whose names
/// are not UTF-8 are passed over. The values are taken when the store is made and never change; writes are refused. Make it
/// before other threads may call `setenv(3)`: most systems have no lock with which the environment could be read meanwhile. Safe to use from
/// any thread, without a lock.
public final class EnvironmentStore: ConstantStore {
    public let name: String

    package let contents: ConstantTable
    private let variables: TextDictionary<[String]>
    private let names: VariableNames
    private let origins: TextDictionary<String>
    /// The end of the names of variables that name files; `nil` if none do.
    let fileSuffix: String?

    /// Makes a store of environment variables.
    ///
    /// - Parameters:
    ///   - names: The variables of the program's keys.
    ///   - environment: The variables and their values.
    ///   - origins: The places of those values that are not in the variable itself, as words.
    ///   - fileSuffix: The end of the names of variables that name files; `nil` if none do.
    ///   - name: The name of the store in errors and diagnostics.
    package init(
        names: VariableNames,
        environment: TextDictionary<OutsideText>,
        origins: TextDictionary<String> = [:],
        fileSuffix: String? = nil,
        name: String
    ) {
        self.name = name
        self.fileSuffix = fileSuffix
        self.names = names
        self.origins = origins
        // Sorted, so that the outcome does not depend on the order of a dictionary.
        let given = names.values(of: environment.sortedByName())
        contents = ConstantTable(given.values.markedAsText)
        variables = given.names
    }

    /// Whether a known key has the variable.
    func isKnownVariable(_ variable: String) -> Bool { names.isKnown(variable) }

    /// The beginning of the variables' names.
    package var prefix: String { names.prefix }

    /// The name of the variable that is read for a key, whether there is such a variable or not.
    ///
    /// - Returns: `nil` if no variable is: the store was not given the key, and it is spelled otherwise than the store's keys
    ///   are, or has its variable in common with a key that was given.
    public func variableName(forKey key: String) -> String? {
        names.variable(ofKey: key)
    }

    /// The variables that give no value to a known key; none with an empty prefix.
    ///
    /// - Parameters:
    ///   - variables: The variables of the environment.
    ///   - alsoKnown: Variables that the program reads itself.
    package func unknownNames(
        among variables: TextDictionary<OutsideText>,
        alsoKnown: [String]
    ) -> [Defaults.UnknownName] {
        if prefix.isEmpty { return [] }
        let further = fileSuffix.map { suffix in names.known.map { $0 + suffix } } ?? []
        return names.unknown(among: variables.sortedKeys, alsoKnown: alsoKnown + further) {
            Provenance([.init(store: name, detail: "variable " + Defaults.UnknownName.shown($0))])
        }
    }

    package var remedyForWrite: String { "set the variable before the program starts, or write to another layer" }

    @_spi(StoreAuthors) public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance>
    {
        provenance(forKeys: keys) { key in
            variables[key].map { variables in
                (variables.count == 1 ? "variable " : "variables ")
                    + variables.map { origins[$0] ?? $0 }.joined(separator: ", ")
            }
        }
    }
}
