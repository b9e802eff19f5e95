extension Defaults {
    /// Stores a number of bytes as its text, such as `64KiB`.
    public struct ByteCountBridge: Bridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: ByteCount?) -> String? { value?.description }

        @_spi(StoreAuthors) public func deserialize(_ object: String?) -> ByteCount? {
            object.flatMap { ByteCount($0) }
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> ByteCount {
            switch stored {
            case .string(let text):
                guard let count = ByteCount(text) else {
                    throw .unreadable(stored, reason: "it is not a number of bytes; \(ByteCountText.forms)")
                }
                return count
            case .integer: return ByteCount(try UInt64(propertyListValue: stored))
            case .real:
                throw .unreadable(stored, reason: "a fraction needs a unit; \(ByteCountText.forms)")
            default: throw .typeMismatch(expected: .string, found: stored)
            }
        }
    }
}

extension Defaults.ByteCount: Defaults.Serializable {
    public static var bridge: Defaults.ByteCountBridge { Defaults.ByteCountBridge() }
}

extension Defaults.ByteCountBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        let text = "^[0-9]+(\\.[0-9]+ ?([kKmMgGtTpPeE][iI]?)?[bB]| ?([kKmMgGtTpPeE][iI]?)?[bB])?$"
        let examples: PropertyListValue = ["64 MiB", "1.5 GB"]
        return [
            "anyOf": [
                ["type": "string", "pattern": .string(text), "examples": examples], ["type": "integer", "minimum": 0],
            ]
        ]
    }
}
