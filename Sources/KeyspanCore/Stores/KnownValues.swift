/// The values that an edit knows: for each key its value, or that it has none.
///
/// Most edits are of a few keys. They are searched without a hash, and allocate once.
struct KnownValues: Sendable {
    private static var searchedCount: Int { 8 }

    private var list: [(key: String, value: StoredValue?)] = []

    // Where each key is in the list, as soon as that is too long to be searched.
    private var positions: TextDictionary<Int>?

    /// The value of a key, or `nil` if nothing is known of it.
    ///
    /// Nothing that is known is forgotten.
    subscript(key: String) -> StoredValue?? {
        get { position(of: key).map { list[$0].value } }
        set {
            guard let newValue else { return }
            if let position = position(of: key) { return list[position].value = newValue }
            if list.isEmpty { list.reserveCapacity(4) }
            positions?[key] = list.count
            list.append((key, newValue))
            if positions == nil, list.count > Self.searchedCount {
                positions = TextDictionary(list.enumerated().lazy.map { ($1.key, $0) })
            }
        }
    }

    private func position(of key: String) -> Int? {
        if let positions { return positions[key] }
        return list.firstIndex { $0.key.hasSameUTF8(as: key) }
    }
}
