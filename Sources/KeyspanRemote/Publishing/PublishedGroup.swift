#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// A group of clients, and the stores whose values it has.
struct PublishedGroup: Sendable {
    let name: String
    /// The stores of the group, the highest first; the last one is the base store.
    let stores: [any PropertyListStore]
    private let values: LayeredStore

    init(_ name: String, _ overlays: [any PropertyListStore], over base: any PropertyListStore) {
        self.name = name
        stores = overlays + [base]
        values = Self.layers(of: stores[...], name)
    }

    /// Reads the values that clients receive.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - old: The contents before; a key whose value is bad now keeps the one that it has there.
    ///   - limit: The most bytes of the values as text.
    func read(_ keys: PublishedKeys, after old: PublishedContents?, atMost limit: Int) -> PublishedContents {
        var published = PublishedValues(of: keys, in: values.snapshot(), after: old?.published)
        if old == nil {
            for index in stores.indices.dropFirst() where !published.rejections.isEmpty {
                published.fill(keys, from: Self.layers(of: stores[index...], name).snapshot())
            }
        }
        if let old, published.values == old.published.values {
            // The document that it has signed is kept.
            let isSame = !old.isTooLarge && published.rejections == old.published.rejections
            return isSame ? old : PublishedContents(published, state: old.state)
        }
        let text = SettingsState.text(of: published.values)
        if text.count <= limit { return PublishedContents(published, state: SettingsState(of: text, for: name)) }
        return PublishedContents(old?.published ?? published, state: old?.state, isTooLarge: true)
    }

    private static func layers(of stores: ArraySlice<any PropertyListStore>, _ name: String) -> LayeredStore {
        LayeredStore(stores.map { .init($0.name, $0) }, name: "group \(name)")
    }
}
#endif
