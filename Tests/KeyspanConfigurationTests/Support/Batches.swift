import KeyspanCore

extension PropertyListBatch {
    /// A batch of several writes, in which `nil` removes a key.
    init(_ writes: [(key: String, value: PropertyListValue?)]) {
        self.init()
        for (key, value) in writes { set(value, forKey: key) }
    }
}
