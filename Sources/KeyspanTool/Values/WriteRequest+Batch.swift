import Keyspan

extension WriteRequest {
    /// Adds the writes of this request to a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch; it fails if a value that is added to is no longer the one of the table.
    ///   - table: What the domain holds.
    /// - Throws: ``ToolError`` with status 1 if the value that is to be added to is of another kind.
    func add(to batch: inout PropertyListBatch, on table: PropertyListTable) throws(ToolError) {
        switch self {
        case .replace(let entries):
            batch.removeAll()
            for (key, value) in entries {
                batch.set(value, forKey: key)
            }
        case .set(let value, let key):
            batch.set(value, forKey: key)
        case .append(let elements, let key):
            guard let present = (table[key] ?? []).arrayValue else {
                throw Self.otherKind(key: key, found: table[key], option: "-array-add", remedy: "-array")
            }
            batch.expect(table[key], forKey: key)
            batch.set(.array(present + elements), forKey: key)
        case .merge(let entries, let key):
            guard let present = (table[key] ?? [:]).dictionaryValue else {
                throw Self.otherKind(key: key, found: table[key], option: "-dict-add", remedy: "-dict")
            }
            batch.expect(table[key], forKey: key)
            batch.set(.dictionary(present.merging(entries) { _, new in new }), forKey: key)
        }
    }

    private static func otherKind(
        key: String,
        found value: PropertyListValue?,
        option: String,
        remedy: String
    ) -> ToolError {
        .failure(
            "The key \(key.debugDescription) holds a value of the kind \(value?.kind.rawValue ?? "none"), to which "
                + "\(option) cannot add; use \(remedy) to replace it."
        )
    }
}
