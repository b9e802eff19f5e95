public import Foundation
public import KeyspanCore

extension Defaults {
    /// Stores an object of a class that supports secure coding as a keyed archive, in data.
    ///
    /// This is the form that the Defaults library writes: a binary property list made by `NSKeyedArchiver`. A class that is
    /// `Codable` as well is stored as JSON text, unless it has ``PreferNSSecureCoding``.
    ///
    /// Data that is no archive of such an object is an error. Of damaged archives the class itself sees what is left: its
    /// `init(coder:)` has to answer `nil` where something is missing.
    ///
    /// **Which objects an archive can make.** On Apple's systems none but the value's class and those that its `init(coder:)`
    /// asks for. swift-corelibs-foundation ends the program where it finds another one, so on Linux the archive is looked
    /// through before: the outermost object has to be of the value's class and every class in it has to support secure
    /// coding, but any such class of the program can be made inside of it. Do not read archives of strangers on Linux.
    ///
    /// An archive carries the names of classes. A class of your own has its module's name before it, so that a program with
    /// another module name reads the archive only after `NSKeyedUnarchiver.setClass(_:forClassName:)`.
    ///
    /// **Which objects can be written.** On Linux a class that is private, generic or inside of another type has no name for an
    /// archive. Writing an object of such a class, or with one anywhere in it, is a `WriteError`. So is, on every system, an object
    /// of a class that does not support secure coding.
    public struct NSSecureCodingBridge<Value: NSObject & NSSecureCoding>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Data? {
            guard let value else { return nil }
            do {
                return try SecureArchive.data(of: value)
            } catch {
                // This form of the question has no place for the reason; `encode(_:)` gives it.
                return nil
            }
        }

        public func deserialize(_ object: Data?) -> Value? {
            guard let object else { return nil }
            do {
                return try SecureArchive.object(Value.self, in: object)
            } catch {
                // This form of the question has no place for the reason; `decode(_:in:)` gives it.
                return nil
            }
        }

        public func encode(_ value: Value) throws(ValueEncodingError) -> PropertyListValue {
            .data(try SecureArchive.data(of: value))
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            guard case .data(let archive) = stored else { throw .typeMismatch(expected: .data, found: stored) }
            return try SecureArchive.object(Value.self, in: archive)
        }
    }

    /// Stores a class that is `Codable` as JSON text although it supports secure coding as well.
    ///
    /// Choose ``PreferNSSecureCoding`` to store an archive instead.
    public struct CodableNSSecureCodingBridge<Value: Codable & NSObject & NSSecureCoding>: CodableBridge, Sendable {
        /// Makes the bridge.
        public init() {}
    }

    /// Chooses a keyed archive as the stored form of a class that is `Codable` as well, which is stored as JSON otherwise.
    public protocol PreferNSSecureCoding: NSObject, NSSecureCoding {}
}

extension Defaults.Serializable where Self: NSObject & NSSecureCoding {
    public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}

extension Defaults.Serializable where Self: Codable & NSObject & NSSecureCoding {
    public static var bridge: Defaults.CodableNSSecureCodingBridge<Self> { Defaults.CodableNSSecureCodingBridge() }
}

extension Defaults.Serializable where Self: Codable & NSObject & NSSecureCoding & Defaults.PreferNSSecureCoding {
    public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}
