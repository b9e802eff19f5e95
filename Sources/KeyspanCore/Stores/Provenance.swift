/// Where the value of a key came from.
///
/// ```swift
/// let port = Defaults.Key<Int>("port", default: 80)
/// let defaults = Defaults(
///     LayeredStore([
///         .init("environment", EnvironmentStore(prefix: "GREETER_", environment: ["GREETER_PORT": "8080"])),
///         .init("memory", InMemoryStore(), isWritable: true),
///     ])
/// )
/// if let provenance = defaults.provenance(of: port) { print(provenance) }  // prints: environment variable GREETER_PORT
/// ```
///
/// It never contains a value.
public struct Provenance: Sendable, Hashable {
    /// One place that a value, or a part of one, came from.
    public struct Source: Sendable, Hashable {
        /// The names of the layers that lead to the store, the outermost first; empty for a store that is not a layer.
        public internal(set) var layers: [String] {
            get { layerNames.map(\.wrappedValue) }
            set { layerNames = newValue.map { UTF8Text($0) } }
        }

        private var layerNames: [UTF8Text]

        /// The name of the store that has the value, or the path of its file if the store is a folder of files.
        @UTF8Text public private(set) var store: String

        /// The line of the value in the file that the store is named after, from 1.
        ///
        /// `nil` if the store has no file, if the form of its file has no lines, and if the value is not in the file.
        public let line: Int?

        /// Where in the store it is, as words that follow the store's name, such as `variable GREETER_PORT`.
        public let detail: String?

        /// Makes a source.
        ///
        /// - Parameters:
        ///   - store: The name of the store that has the value, or the path of its file if the store is a folder of files.
        ///   - line: The line of the value in the file that the store is named after, from 1.
        ///   - detail: Where in the store it is, as words that follow the store's name; never a value.
        @_spi(StoreAuthors) public init(store: String, line: Int? = nil, detail: String? = nil) {
            layerNames = []
            self.store = store
            self.line = line
            self.detail = detail
        }
    }

    /// The places, of several layers the highest first: more than one if a value was merged of several.
    public let sources: [Source]

    /// Joins places.
    ///
    /// - Parameter sources: The places, the highest first.
    @_spi(StoreAuthors) public init(_ sources: [Source]) {
        self.sources = sources
    }

    /// All places of several values, each once; `nil` if there are none.
    init?(joining parts: [Provenance]) {
        let sources = parts.flatMap(\.sources).reduce(into: [Source]()) { sources, source in
            if !sources.contains(source) { sources.append(source) }
        }
        if sources.isEmpty { return nil }
        self.init(sources)
    }

    /// The same places in a layer.
    func inLayer(named name: String) -> Provenance {
        Provenance(
            sources.map { source in
                var source = source
                source.layers.insert(name, at: 0)
                return source
            }
        )
    }
}

extension Provenance: CustomStringConvertible {
    /// The places on one line, such as `file: /etc/greeter.json:12`.
    public var description: String { sources.map(\.description).joined(separator: " and ") }
}

extension Provenance.Source: CustomStringConvertible {
    /// The layers, unless a layer has the name of the store, and the store with the line or the detail.
    public var description: String {
        let outer = layers.filter { !$0.hasSameUTF8(as: store) }.map { "\($0): " }.joined()
        return outer + store + (line.map { ":\($0)" } ?? "") + (detail.map { " \($0)" } ?? "")
    }
}

/// A store that can say more about where its values came from than its own name, such as a line of a file or a variable.
///
/// A store that wraps another one conforms to this and passes on the answer of that one.
@_spi(StoreAuthors) public protocol ProvenanceReporting: PropertyListStore {
    /// Where the values of keys came from, for people: ``Defaults/describe(_:)`` and errors print it.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - findingLines: Whether to look for the lines of values in a file, which may read it and wait for the disk. If not,
    ///     the answer comes from memory.
    /// - Returns: An entry for each of the keys that has a value now.
    func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance>
}

extension PropertyListStore {
    /// Where the values of keys came from: the store's own answer if it is ``ProvenanceReporting``, and otherwise its name.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - findingLines: Whether to look for the lines of values in a file, which may read it and wait for the disk.
    /// - Returns: An entry for each of the keys that has a value now.
    package func provenance(ofKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        if let store = self as? any ProvenanceReporting {
            return store.provenance(forKeys: keys, findingLines: findingLines)
        }
        return keys.reduce(into: [:]) { found, key in
            if storedValue(forKey: key) != nil { found[key] = Provenance([.init(store: name)]) }
        }
    }

    /// Where the value of a key came from; `nil` if the store has none.
    ///
    /// Reads the files of file stores, to find the line.
    package func provenance(forKey key: String) -> Provenance? {
        provenance(ofKeys: [key], findingLines: true)[key]
    }
}

/// A store of a file in whose text numbers, truth values and dates stand without quotes, so that a person reads them as texts.
package protocol SourceTextReporting: PropertyListStore {
    /// How the file has a part of a key's value, such as `1.10` for the number 1.1.
    ///
    /// - Parameters:
    ///   - part: The part, a number, a truth value or a date.
    ///   - path: The place of the part in the value.
    ///   - key: The name of the key.
    /// - Returns: `nil` if the file has another value there.
    func sourceText(of part: PropertyListValue, at path: ValuePath, ofKey key: String) -> String?
}

extension PropertyListStore {
    /// How the file of this store, or of the layer that has the key, has a part of the key's value; `nil` if it has no such text.
    func presentSourceText(of part: PropertyListValue, at path: ValuePath, ofKey key: String) -> String? {
        switch self {
        case let store as any SourceTextReporting: store.sourceText(of: part, at: path, ofKey: key)
        case let store as LayeredStore:
            store.layers.first { $0.store.storedValue(forKey: key) != nil }?
                .store.presentSourceText(of: part, at: path, ofKey: key)
        default: nil
        }
    }
}
