#if canImport(Darwin)
import Foundation

/// Hears from key-value observing which keys of a `UserDefaults` changed.
final class UserDefaultsKeyObserver: NSObject, Sendable {
    private let reference: UserDefaultsReference
    private let changed: @Sendable (String) -> Void

    init(of reference: UserDefaultsReference, _ changed: @escaping @Sendable (String) -> Void) {
        self.reference = reference
        self.changed = changed
    }

    func begin(_ key: String) {
        reference.defaults.addObserver(self, forKeyPath: key, options: [], context: nil)
    }

    func end(_ key: String) {
        reference.defaults.removeObserver(self, forKeyPath: key, context: nil)
    }

    override func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        if let keyPath { changed(keyPath) }
    }
}
#endif
