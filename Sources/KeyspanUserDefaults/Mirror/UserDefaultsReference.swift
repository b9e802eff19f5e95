import Foundation

/// A `UserDefaults` that several threads use.
// Unchecked, because Foundation does not mark the class: Apple's documentation of UserDefaults says that it is thread-safe,
// and in swift-corelibs-foundation every method takes the lock of what it touches (the preferences domain, the registered
// defaults, the volatile domains of the object). The object is never reconfigured here.
struct UserDefaultsReference: @unchecked Sendable {
    /// The object.
    let defaults: UserDefaults

    init(_ defaults: UserDefaults) {
        self.defaults = defaults
    }
}
