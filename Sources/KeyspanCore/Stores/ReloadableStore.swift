/// A store that can read its source again when asked, such as a file: for a program that reloads its settings on `SIGHUP`.
///
/// Stores that follow their source need no reload to notice a change. A reload reads at once, also where the source is not followed,
/// and its caller learns whether the present version is in effect.
///
/// ```swift
/// func reload(_ store: any PropertyListStore) {
///     do {
///         try (store as? any ReloadableStore)?.reload()
///     } catch {
///         print(error)  // the values before stay in effect
///     }
/// }
/// ```
public protocol ReloadableStore: PropertyListStore {
    /// Reads the source now, and lets its values take effect.
    ///
    /// The changes reach observers as other changes by the source do. What this process has not saved yet stays in effect. May block the
    /// thread on the disk. Safe to call from any thread, but not from a validation of the store.
    ///
    /// - Throws: ``StoreError`` with ``StoreError/Code/notReloaded`` if the source cannot be read, or if its version is rejected as a whole
    ///   or in part. The values before stay in effect, except those of keys whose new values can be used. The same problem is not
    ///   reported to ``Defaults/onProblem(_:)`` as well.
    func reload() throws(StoreError)
}

extension ReloadableStore {
    /// Reads the source and lets its values take effect; never blocks a thread of the cooperative pool.
    ///
    /// - Throws: ``StoreError`` with ``StoreError/Code/notReloaded``, as the synchronous form does.
    public func reload() async throws(StoreError) {
        try await BlockingWork.shared.run(for: self) { () throws(StoreError) in try self.reload() }
    }
}

extension StoreError.Code {
    /// The source could not be read again, or has a version that was rejected; the values before stay in effect.
    public static let notReloaded = StoreError.Code("notReloaded")
}

extension LayeredStore: ReloadableStore {
    /// Reloads every layer that can be reloaded, the highest first, even after one has failed, and throws the first error.
    public func reload() throws(StoreError) {
        var first: StoreError?
        for layer in layers {
            do {
                try (layer.store as? any ReloadableStore)?.reload()
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }
}
