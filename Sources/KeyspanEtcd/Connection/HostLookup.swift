#if Etcd
internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Looks up the addresses of hosts: each name on a thread of its own, and once at a time for all who ask.
///
/// The lookups of the transport stand in one line for a whole process, and cannot be given up. A name whose servers do not answer would
/// keep all stores from the members that have others.
final class HostLookup: Sendable {
    /// Why a name has no addresses.
    struct Failure: Error, Hashable {
        let reason: String
    }

    /// A lookup whose result nobody has taken yet.
    private final class Lookup: Sendable {
        let isOver = Flag()
        let outcome = Locked<(result: Result<[String], Failure>, time: ContinuousClock.Instant)?>(nil)

        /// Whether it has ended so long ago that the name may have other addresses.
        var isOld: Bool {
            outcome.withLock { outcome in outcome.map { ContinuousClock.now - $0.time > .seconds(300) } ?? false }
        }
    }

    /// The lookup of the system.
    static let ofSystem = HostLookup(addressesKnownToSystem)

    private let resolve: @Sendable (String) throws(Failure) -> [String]
    private let lookups = Locked<TextDictionary<Lookup>>([:])

    /// - Parameter resolve: Finds the addresses of a name, as numbers; may block its thread.
    init(_ resolve: @escaping @Sendable (String) throws(Failure) -> [String]) {
        self.resolve = resolve
    }

    /// Looks a name up.
    ///
    /// - Parameters:
    ///   - host: The name, or an address.
    ///   - timeout: The longest time to wait. The lookup itself goes on, and its result is for the next caller.
    ///   - executor: Where the time is measured.
    func addresses(
        of host: String,
        upTo timeout: Duration,
        on executor: CallExecutor
    ) async throws(Failure) -> [String] {
        let lookup = begin(host)
        _ = await lookup.isOver.wait(upTo: timeout, on: executor)
        guard let result = lookup.outcome.withLock({ $0?.result }) else {
            throw Failure(reason: "the name has not been found in \(timeout)")
        }
        lookups.withLock { if $0[host] === lookup { $0[host] = nil } }
        return try result.get()
    }

    /// Begins to look a name up, unless that goes on already.
    private func begin(_ host: String) -> Lookup {
        let (lookup, isNew) = lookups.withLock { lookups in
            if let present = lookups[host], !present.isOld { return (present, false) }
            let new = Lookup()
            lookups[host] = new
            return (new, true)
        }
        guard isNew else { return lookup }
        DispatchQueue(label: "keyspan.etcd.lookup").async { [self] in
            let result: Result<[String], Failure>
            do throws(Failure) {
                result = .success(try resolve(host))
            } catch {
                result = .failure(error)
            }
            lookup.outcome.withLock { $0 = (result, .now) }
            lookup.isOver.set()
        }
        return lookup
    }
}

/// Asks the system for the addresses of a name, as `/etc/hosts` and the name servers have them, in the order of RFC 6724.
private func addressesKnownToSystem(of host: String) throws(HostLookup.Failure) -> [String] {
    var hints = addrinfo()
    #if canImport(Glibc)
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
    hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    let code = errno
    guard status == 0 else {
        // Without a free descriptor, the system finds no name, and says so only now and then.
        let shortage = (status == EAI_SYSTEM ? FileShortage(errno: code) : nil) ?? FileShortage.present
        let text = status == EAI_SYSTEM ? String(cString: strerror(code)) : String(cString: gai_strerror(status))
        throw HostLookup.Failure(reason: shortage?.description ?? text)
    }
    var hosts: [String] = []
    var next = list
    while let entry = next?.pointee {
        next = entry.ai_next
        guard entry.ai_family == AF_INET || entry.ai_family == AF_INET6 else { continue }
        // As numbers, with the zone of an address that is valid on one link only.
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { continue }
        hosts.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    if hosts.isEmpty { throw HostLookup.Failure(reason: "the name has no address") }
    return hosts
}
#endif
