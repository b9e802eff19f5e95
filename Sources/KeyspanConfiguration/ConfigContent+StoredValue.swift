#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension StoredValue {
    /// The stored form of a value of a provider; texts are marked as such, so that keys of other types convert them.
    init(_ content: ConfigContent) {
        switch content {
        case .string(let text): self.init(.string(text), isText: true)
        case .int(let integer): self.init(.integer(PropertyListInteger(integer)))
        case .double(let real): self.init(.real(real))
        case .bool(let value): self.init(.boolean(value))
        case .bytes(let bytes): self.init(.data(Data(bytes)))
        case .stringArray(let texts): self.init(.array(texts.map { .string($0) }), isText: true)
        case .intArray(let integers): self.init(.array(integers.map { .integer(PropertyListInteger($0)) }))
        case .doubleArray(let reals): self.init(.array(reals.map { .real($0) }))
        case .boolArray(let values): self.init(.array(values.map { .boolean($0) }))
        case .byteChunkArray(let chunks): self.init(.array(chunks.map { .data(Data($0)) }))
        }
    }
}

extension ConfigContent {
    /// The value of a stored form, converted as a key of that type converts it.
    ///
    /// - Throws: `Defaults.ReadError`, without the value, if such a key cannot read it.
    init(
        _ stored: StoredValue,
        as type: ConfigType,
        forKey name: String,
        in store: any PropertyListStore
    ) throws(Defaults.ReadError) {
        let value = ReadableValue(name: name, stored: stored, store: store)
        self =
            switch type {
            case .string: .string(try value.read(by: Keys.string))
            case .int: .int(try value.read(by: Keys.int))
            case .double: .double(try value.read(by: Keys.double))
            case .bool: .bool(try value.read(by: Keys.bool))
            case .bytes: .bytes(Array(try value.read(by: Keys.data)))
            case .stringArray: .stringArray(try value.read(by: Keys.strings))
            case .intArray: .intArray(try value.read(by: Keys.ints))
            case .doubleArray: .doubleArray(try value.read(by: Keys.doubles))
            case .boolArray: .boolArray(try value.read(by: Keys.bools))
            case .byteChunkArray: .byteChunkArray(try value.read(by: Keys.chunks).map { Array($0) })
            }
    }
}

/// The keys whose conversions the types of swift-configuration have, under the name that all of them share.
private enum Keys {
    static let string = Defaults.Key<String>(name, default: "")
    static let int = Defaults.Key<Int>(name, default: 0)
    static let double = Defaults.Key<Double>(name, default: 0)
    static let bool = Defaults.Key<Bool>(name, default: false)
    static let data = Defaults.Key<Data>(name, default: Data())
    static let strings = Defaults.Key<[String]>(name, default: [])
    static let ints = Defaults.Key<[Int]>(name, default: [])
    static let doubles = Defaults.Key<[Double]>(name, default: [])
    static let bools = Defaults.Key<[Bool]>(name, default: [])
    static let chunks = Defaults.Key<[Data]>(name, default: [])

    private static let name = "value"
}

/// A stored form, with what an error about it names.
private struct ReadableValue {
    let name: String
    let stored: StoredValue
    let store: any PropertyListStore

    private static let noStore = InMemoryStore()

    /// The value as a key reads it.
    func read<Value: Defaults.Serializable>(by key: Defaults.Key<Value>) throws(Defaults.ReadError) -> Value {
        do throws(Defaults.ReadError) {
            return try key.strictValue(of: stored, in: Self.noStore) ?? key.defaultValue
        } catch {
            // Readers log the errors of providers, also those about values that only the program knows to be secret.
            let named = Defaults.Key<Value>(name, default: key.defaultValue).secret()
            return try named.strictValue(of: stored, in: store) ?? key.defaultValue
        }
    }
}
#endif
