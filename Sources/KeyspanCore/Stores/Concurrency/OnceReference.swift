public import Synchronization

/// A reference that is set once and read by all threads without a lock.
///
/// `AtomicLazyReference` of the standard library is the same, but its code is not visible to the compiler of this module:
/// a read of it looks generic metadata up, which costs more than all the rest of reading a key.
@usableFromInline
package struct OnceReference<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
    // Holds one count of the object from the moment it is set. It is never replaced, so it can be read as long as this
    // structure lives, and is released with it.
    @usableFromInline let reference = Atomic<Unmanaged<Instance>?>(nil)

    package init() {}

    deinit {
        reference.load(ordering: .acquiring)?.release()
    }

    /// The object, if it has been set; one atomic load.
    @inlinable package var object: Instance? { reference.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// Sets the object, unless there is one already.
    ///
    /// - Returns: The object that counts.
    package func setIfAbsent(_ object: Instance) -> Instance {
        let new = Unmanaged.passRetained(object)
        let (_, present) = reference.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard let present else { return object }
        new.release()
        return present.takeUnretainedValue()
    }
}
