public import Foundation
public import KeyspanCore

extension Defaults {
    /// Stores an object of a class that supports secure coding as a keyed archive, in data.
    ///
    /// The Defaults library writes the same form: a binary property list made by `NSKeyedArchiver`. A class that is also
    /// `Codable` is stored as JSON text unless it conforms to ``PreferNSSecureCoding``.
    ///
    /// Data that is not an archive of such an object is an error. The class decides about damaged archives: its `init(coder:)`
    /// must return `nil` if something is missing.
    ///
    /// **Which objects an archive can make.** Only objects of the value's class and of the classes that its `init(coder:)` asks for. On
    /// Linux, also objects of Foundation's classes, where `init(coder:)` does not ask for a class. The coder is not an `NSKeyedUnarchiver`
    /// there, because Foundation's ends the program for many damaged archives.
    ///
    /// An archive contains the names of classes. Your own classes have the module's name in front, so a program with another
    /// module name can read the archive only after `NSKeyedUnarchiver.setClass(_:forClassName:)`.
    ///
    /// **Which objects can be written.** On Linux, only objects that can be read again: a class that is private, generic or nested in another
    /// type has no name in an archive, and Foundation there cannot archive some of its classes, such as `NSError`. Writing an object that is
    /// or contains an instance of such a class throws a `WriteError`. On every system, so does an object of a class that does not
    /// support secure coding.
    public struct NSSecureCodingBridge<Value: NSObject & NSSecureCoding>: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Value?) -> Data? {
            guard let value else { return nil }
            do {
                return try SecureArchive.data(of: value)
            } catch {
                // `encode(_:)` gives the reason.
                return nil
            }
        }

        public func deserialize(_ object: Data?) -> Value? {
            guard let object else { return nil }
            do {
                return try SecureArchive.object(Value.self, in: object)
            } catch {
                // `decode(_:in:)` gives the reason.
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

    /// Stores a class that supports both `Codable` and secure coding as JSON text.
    ///
    /// Conform to ``PreferNSSecureCoding`` to store an archive instead.
    public struct CodableNSSecureCodingBridge<Value: Codable & NSObject & NSSecureCoding>: CodableBridge, Sendable {
        /// Makes the bridge.
        public init() {}
    }

    /// Chooses a keyed archive, in place of JSON, as the stored form of a class that is also `Codable`.
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
