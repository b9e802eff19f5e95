#if Service
public import KeyspanCore
public import Logging

/// The level of a log as the value of a key.
///
/// ```swift
/// // With the trait Service
/// extension Defaults.Keys {
///     static let logLevel = Key<Logger.Level>("log.level", default: .info)
/// }
/// ```
///
/// Stored as its name, such as `debug`. Names are read in any case, and errors list them.
extension Logger.Level: Defaults.TextSerializable {
    /// Stores a level as its name.
    public static var bridge: Defaults.TextBridge<Logger.Level> { Defaults.TextBridge() }

    /// The names of all levels.
    public static var textForms: String {
        let names = allCases.map(\.rawValue)
        return "write it as " + names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// The names of all levels in any case.
    public static var textPattern: String? {
        let names = allCases.map { level in level.rawValue.map { "[\($0)\($0.uppercased())]" }.joined() }
        return "^(" + names.joined(separator: "|") + ")$"
    }
}
#endif
