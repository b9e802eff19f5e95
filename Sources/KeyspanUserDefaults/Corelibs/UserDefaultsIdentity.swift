#if !canImport(Darwin)
import Foundation
import KeyspanCore

/// What a `UserDefaults` is known by: the suite, because all objects of one show the same.
enum UserDefaultsIdentity: Hashable {
    /// `UserDefaults.standard`, or another one without a name.
    case standard
    /// A suite with a name.
    case suite(UTF8Text)
    /// A subclass, which may show anything.
    case object(ObjectIdentifier)

    /// The identity of a `UserDefaults` that lives as long as this is used.
    init(of reference: UserDefaultsReference) {
        let defaults = reference.defaults
        // There is no other way to the name than the property that has it. Without it nothing is known of the file.
        let property = Mirror(reflecting: defaults).children.first { $0.label == "suite" }
        guard type(of: defaults) == UserDefaults.self, let property else {
            self = .object(ObjectIdentifier(defaults))
            return
        }
        self = (property.value as? String).map { .suite(UTF8Text($0)) } ?? .standard
    }
}
#endif
