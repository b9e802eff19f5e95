import Keyspan

extension Domain {
    /// The kept values of all keys, by key and from the oldest to the newest.
    ///
    /// - Throws: ``ToolError`` if the domain does not exist or its file cannot be read.
    func keptValues() throws(ToolError) -> [NumberedKeptValue] {
        NumberedKeptValue.numbering(Defaults(InMemoryStore(try contents())).keptValues())
    }

    /// The kept values of a key, of which there is at least one, from the oldest to the newest.
    ///
    /// - Throws: ``ToolError`` if there is none, the domain does not exist or its file cannot be read.
    func keptValues(ofKey key: String) throws(ToolError) -> [NumberedKeptValue] {
        let values = try keptValues().filter { $0.value.key.hasSameUTF8(as: key) }
        guard !values.isEmpty else {
            throw .failure(
                "The domain \(name.debugDescription) keeps no value of the key \(key.debugDescription); "
                    + "`keyspan kept \(name)` lists what it keeps."
            )
        }
        return values
    }

    /// The one of these kept values that has the number.
    ///
    /// - Throws: ``ToolError`` if none has it.
    func keptValue(
        _ number: Int,
        of values: [NumberedKeptValue],
        ofKey key: String
    ) throws(ToolError) -> Defaults.KeptValue {
        guard let chosen = values.first(where: { $0.number == number }) else {
            throw .failure(
                "The domain \(name.debugDescription) keeps no value \(number) of the key \(key.debugDescription), "
                    + "only \(values.count == 1 ? "value 1" : "values 1 to \(values.count)"); "
                    + "`keyspan kept \(name) \(key)` lists them."
            )
        }
        return chosen.value
    }
}
