/// A store whose keys have names of their own outside the program, which a help text shows.
package protocol OutsideNaming: PropertyListStore {
    /// The forms in which a person gives a value to an entry, such as `--server.port=…`, each without a value.
    ///
    /// - Parameters:
    ///   - entry: The name of the entry.
    ///   - isFlag: Whether the value is true or false.
    func outsideForms(ofEntry entry: String, isFlag: Bool) -> [String]

    /// The place of the values, as words for people; `nil` if the name of the store says it.
    var outsidePlace: String? { get }
}

extension LaunchArgumentsStore: OutsideNaming {
    package func outsideForms(ofEntry entry: String, isFlag: Bool) -> [String] {
        guard let name = argumentName(forKey: entry) else { return [] }
        if !isFlag { return [name + "=…"] }
        return [hasNegation(forKey: entry) ? "--[no-]" + name.dropFirst(2) : name]
    }

    package var outsidePlace: String? { nil }
}

extension EnvironmentStore: OutsideNaming {
    package func outsideForms(ofEntry entry: String, isFlag: Bool) -> [String] {
        guard let variable = variableName(forKey: entry) else { return [] }
        let namesFile = fileSuffix.map { isKnownVariable(variable) && !isKnownVariable(variable + $0) } ?? false
        return [variable + (namesFile ? "[\(fileSuffix ?? "")]" : "")]
    }

    package var outsidePlace: String? {
        let files = fileSuffix.map { "; with \($0) at its end, a variable has the path of a file with the value" }
        return prefix.isEmpty && files == nil ? nil : "variables\(prefix.isEmpty ? "" : " \(prefix)…")\(files ?? "")"
    }
}
