#if !canImport(Darwin)
import Foundation

extension RegistrationSource {
    /// What is registered in this process.
    ///
    /// The registration domain has no name here. A suite without values shows nothing else.
    static func registeredObjects() -> [String: Any] {
        UserDefaults(suiteName: emptySuite)?.dictionaryRepresentation() ?? [:]
    }

    /// A name that no suite has.
    private static let emptySuite = "org.keyspan.empty-\(UUID().uuidString)"
}
#endif
