#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a `Codable` value as JSON text in data, its names sorted.
    ///
    /// For stores that are shared with programs that expect this form; ``TopLevelCodableBridge`` writes a string, which a
    /// person can read. Either form is read.
    public struct JSONDataBridge<Value: Codable>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Data? {
            text.serialize(value).map { Data($0.utf8) }
        }

        public func deserialize(_ object: Data?) -> Value? {
            text.deserialize(object.map { String(decoding: $0, as: UTF8.self) })
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .data(Data(try JSONCoding.encode(value).utf8))
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            try text.decode(stored, in: &context)
        }

        private var text: TopLevelCodableBridge<Value> { TopLevelCodableBridge() }
    }
}
