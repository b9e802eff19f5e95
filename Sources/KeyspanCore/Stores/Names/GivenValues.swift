/// Values that keys were given from outside of the program, each with the names under which they were given.
struct GivenValues: Sendable, Hashable {
    /// Values and the names that gave them.
    private struct Part: Sendable, Hashable {
        var values = PropertyListTable()
        var names: TextDictionary<[String]> = [:]
    }

    private var entries = Part()
    /// The dictionaries that entries with dots in their names make, one for each level above them.
    private var collected = Part()

    /// The values by key; a key that was given a value itself has that one, and not the parts that were given of it.
    var values: PropertyListTable { entries.values.overlaid(on: collected.values) }

    /// The names by key, with those of all parts for a dictionary that was given in parts.
    var names: TextDictionary<[String]> { entries.names.merging(collected.names) { entry, _ in entry } }

    /// Gives a key a value; of several for one key the last one counts.
    mutating func set(_ value: PropertyListValue, forKey key: String, as name: String) {
        entries.values[key] = value
        entries.names[key] = [name]
    }

    /// Gives a key a value, and to each key that is a level above it in its name a dictionary in which that value is.
    mutating func setNested(_ value: PropertyListValue, forKey key: String, as name: String) {
        set(value, forKey: key, as: name)
        let levels = key.levels.map(String.init)
        guard levels.count <= PropertyListValue.maximumNesting, !levels.contains("") else { return }
        for depth in 1..<levels.count {
            let outer = levels[..<depth].joined(separator: ".")
            let dictionary = collected.values[outer] ?? [:]
            collected.values[outer] = dictionary.setting(value, at: levels[depth...])
            if collected.names[outer, default: []].contains(where: name.hasSameUTF8) { continue }
            collected.names[outer, default: []].append(name)
        }
    }
}

extension PropertyListValue {
    /// The dictionary with a value at a path of members; what is no dictionary on the way stays as it is.
    fileprivate func setting(_ value: PropertyListValue, at path: ArraySlice<String>) -> PropertyListValue {
        guard let member = path.first else { return value }
        guard case .dictionary(var members) = self else { return self }
        members[member] = (members[member] ?? [:]).setting(value, at: path.dropFirst())
        return .dictionary(members)
    }
}
