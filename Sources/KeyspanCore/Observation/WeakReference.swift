/// An object that may go, of which nothing is asked but whether it is still there.
// Unchecked because the object need not be `Sendable`: it is kept alive or let go, which is safe on every thread, and never
// used. The reference is not changed after it is made, and reading a weak reference is safe from several threads.
final class WeakReference: @unchecked Sendable {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}
