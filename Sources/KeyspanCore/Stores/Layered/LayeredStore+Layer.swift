extension LayeredStore {
    /// One of the stores of a layered store, by name.
    public struct Layer: Sendable {
        /// What the layer is called, such as `arguments`.
        ///
        /// No two layers of a store should have the same name: one that is named is the highest of that name.
        public let name: String

        /// The store that has the layer's values.
        public let store: any PropertyListStore

        /// Whether a layered store may write here, if this is the layer to which its writes go.
        public let isWritable: Bool

        /// Makes a layer.
        ///
        /// - Parameters:
        ///   - name: What the layer is called.
        ///   - store: The store that has the layer's values; others may use and write it as well.
        ///   - isWritable: Whether a layered store may write here.
        public init(_ name: String, _ store: any PropertyListStore, isWritable: Bool = false) {
            self.name = name
            self.store = store
            self.isWritable = isWritable
        }
    }
}
