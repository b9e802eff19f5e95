#if Etcd
internal import KeyspanCore
internal import KeyspanFileStore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The files with last known values that stores have open, which are brought up to date when the process exits.
///
/// A change is in the file a while after it was made. A normal exit, by `exit(3)` or at the end of `main`, saves it before the file stores save
/// theirs; a process that is killed does not.
enum MirrorCachesInUse {
    private struct Caches: Sendable {
        /// The owner of the files; a child that `fork(2)` made has copies, and must not save them.
        let process = getpid()
        var all: [ObjectIdentifier: Reference] = [:]
    }

    private struct Reference: Sendable {
        weak var cache: MirrorCache?
    }

    private static let caches: Locked<Caches> = {
        // Handlers run in the reverse order of their registration, so that the file stores save what this one writes to them.
        _ = OpenEngines.ofProcess
        // Registering fails only without memory for the handler; the delayed saves are not affected.
        _ = atexit { MirrorCachesInUse.flush() }
        return Locked(Caches())
    }()

    static func add(_ cache: MirrorCache) {
        caches.withLock { $0.all[ObjectIdentifier(cache)] = Reference(cache: cache) }
    }

    static func remove(_ cache: MirrorCache) {
        caches.withLock { _ = $0.all.removeValue(forKey: ObjectIdentifier(cache)) }
    }

    private static func flush() {
        let present = caches.withLock { $0.process == getpid() ? $0.all.values.compactMap(\.cache) : [] }
        for cache in present { cache.flush() }
    }
}
#endif
