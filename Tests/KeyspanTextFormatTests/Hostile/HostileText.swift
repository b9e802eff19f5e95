import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanTOML

#if YAML
@_spi(StoreAuthors) @testable import KeyspanYAML
#endif

/// A kind of text that makes a careless reader slow, in any size.
struct HostileText: CustomTestStringConvertible, CustomStringConvertible, Sendable {
    /// The formats of texts.
    enum Format: String, Sendable {
        case json, xml, binary, environment, variable, toml, yaml
    }

    /// The uses of a text.
    enum Step: String, Sendable {
        case reading, writing, applying, locating
    }

    typealias Work = () throws -> Void

    let format: Format
    let name: String
    /// The size of the smaller text, as the number of the parts that it repeats.
    let size: Int
    let make: @Sendable (Int) throws -> [UInt8]

    init(_ format: Format, _ name: String, size: Int, _ make: @escaping @Sendable (Int) throws -> String) {
        self.init(format, name, size: size, bytes: { Array(try make($0).utf8) })
    }

    init(_ format: Format, _ name: String, size: Int, bytes: @escaping @Sendable (Int) throws -> [UInt8]) {
        (self.format, self.name, self.size, make) = (format, name, size, bytes)
    }

    var description: String { "\(format.rawValue): \(name)" }
    var testDescription: String { description }

    /// The steps that the format has, with the work of each for texts of some sizes.
    func steps(in folder: TemporaryFolder, sizes: [Int]) throws -> [(step: Step, works: [Work])] {
        let texts = try sizes.map(make)
        switch format {
        case .json, .xml, .binary: return codec.map { steps(with: $0, texts) } ?? []
        case .environment, .toml, .yaml:
            let paths = try texts.enumerated().map { number, text in
                try folder.write(text, to: "\(number)")
                return folder.path("\(number)")
            }
            let stores = paths.map { try? open($0) }
            return [
                (.reading, paths.map { path in { _ = try? open(path) } }),
                (.locating, stores.map { store in { locate(in: store) } }),
            ]
        case .variable:
            return [(.reading, texts.map { text in { read(String(decoding: text, as: UTF8.self)) } })]
        }
    }

    // MARK: - Files that stores write

    /// The codec of a format that stores write; `nil` for others.
    private var codec: (any FileCodec)? {
        switch format {
        case .json: JSONFileCodec(allowingComments: true)
        case .xml, .binary: PropertyListFileCodec(nil)
        case .environment, .variable, .toml, .yaml: nil
        }
    }

    /// The work of reading a text and of finding the place of its first value; `nil` for a text without one.
    func search() throws -> (reading: Work, finding: Work)? {
        let text = try make(4 * size)
        guard let codec, let table = try? codec.decode(text), let key = table.sortedKeys.first else { return nil }
        return (
            { Self.read(text, codec) }, { _ = try codec.places(of: [ValuePath([.name(key)])], in: table, text) }
        )
    }

    private func steps(with codec: some FileCodec, _ texts: [[UInt8]]) -> [(step: Step, works: [Work])] {
        let reading = (Step.reading, texts.map { text in { Self.read(text, codec) } })
        let tables = texts.compactMap { try? codec.decode($0) }
        // A text that is refused has no values to write and to locate.
        guard tables.count == texts.count else { return [reading] }
        let edited = tables.map(Self.edited)
        let locating = zip(tables, texts).map { table, text -> Work in
            let paths = table.sortedKeys.map { ValuePath([.name($0)]) }
            return { _ = try codec.places(of: paths, in: table, text) }
        }
        return [
            reading, (.writing, edited.map { table in { _ = try codec.encode(table, upTo: .max) } }),
            (.applying, edited.map { table in { Self.apply(table) } }), (.locating, locating),
        ]
    }

    private static func read(_ text: [UInt8], _ codec: some FileCodec) {
        do throws(FileFormatError) {
            let table = try codec.decode(text)
            _ = Set(table.map(\.value))
        } catch {
            _ = "\(error.reason)\(error.remedy ?? "")"
        }
    }

    /// Writes all values of a table to another one in which names lead into dictionaries.
    private static func apply(_ table: PropertyListTable) {
        var other = PropertyListTable()
        other.naming = NestedNaming(groups: GroupNames(of: keys))
        for (key, value) in table {
            _ = key.entries(changedByWriting: value)
            other.applyWrites(of: PropertyListBatch(.set(value, key: key)))
        }
        _ = other.namesHeldTwice
        _ = other.listed
    }

    /// A table that lacks the first half of the entries, and has other values and new entries in place of the rest.
    private static func edited(_ table: PropertyListTable) -> PropertyListTable {
        var edited = table
        for (number, key) in table.sortedKeys.enumerated() {
            edited[key] = 2 * number + 1 < table.count ? nil : table[key].map(Self.edited)
            edited["b\(number)"] = true
        }
        return edited
    }

    /// A value in which the first part has changed.
    private static func edited(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .array(let elements): return .array(elements.dropFirst() + [.boolean(true)])
        case .dictionary(var members):
            guard let name = members.keys.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) else {
                return ["new": true]
            }
            members[name] = members[name].map(Self.edited)
            return .dictionary(members)
        default: return "other"
        }
    }

    // MARK: - Files that stores only read

    private static let keys = ["port", "a.b.c", "tls.client.port", "x.y.z"]

    private func open(_ path: String) throws -> any PropertyListStore {
        let keys: [Defaults.AnyKey] = Self.keys.map { Defaults.Key<Defaults.AnySerializable?>($0) }
        return try Defaults.withProblemHandler({ _ = $0.description }) {
            switch format {
            case .environment: return try DotEnvStore(path: path, keys: keys)
            #if YAML
            case .yaml: return try YAMLFileStore(path: path, keys: keys, isWatching: false)
            #endif
            default: return try TOMLFileStore(path: path, keys: keys, isWatching: false)
            }
        }
    }

    private func locate(in store: (any PropertyListStore)?) {
        guard let store else { return }
        for key in store.snapshot().unsortedKeys { _ = store.provenance(forKey: key)?.description }
    }

    // MARK: - Texts of variables

    private func read(_ text: String) {
        let defaults = Defaults(EnvironmentStore(prefix: "", environment: ["KEY": text]))
        func read<Value: Defaults.Serializable>(_ type: Value.Type) {
            let key = Defaults.Key<Value?>("key")
            Defaults.withProblemHandler({ _ = $0.description }) { _ = defaults[key] }
            do { _ = try defaults.value(for: key) } catch { _ = "\(error)" }
        }
        read([String: Int].self)
        read(Set<String>.self)
        read([String: [String: [Int]]].self)
        read(Double.self)
        read(Date.self)
    }
}
