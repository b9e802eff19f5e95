#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a UUID as its text in upper case.
    public struct UUIDBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: UUID?) -> String? { value?.uuidString }

        public func deserialize(_ object: String?) -> UUID? { object.flatMap(UUID.init(uuidString:)) }
    }
}

extension UUID: Defaults.Serializable {
    public static var bridge: Defaults.UUIDBridge { Defaults.UUIDBridge() }
}
