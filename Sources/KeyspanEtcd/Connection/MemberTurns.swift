#if Etcd
/// The addresses at which members are asked, one after the other.
///
/// A name may stand for several members, as that of a headless service of Kubernetes does, or for several addresses of one, not all of which
/// need lead there. So each address has a turn, and the name is looked up anew for each round.
struct MemberTurns {
    private let endpoints: [Endpoint]
    /// The position of the present member.
    private var position: Int
    /// The addresses of the present member whose turn is or comes; empty before they are looked up.
    private var addresses: ArraySlice<MemberAddress> = []
    /// The last address of which a connection was established.
    private var last: MemberAddress?

    /// Begins with any of some members.
    init(of endpoints: [Endpoint]) {
        self.endpoints = endpoints
        position = Int.random(in: endpoints.indices)
    }

    /// Whether the present member has no other address whose turn would come.
    var isAtLastAddress: Bool { addresses.count < 2 }

    /// The address whose turn it is.
    mutating func present(by connector: any MemberConnector) async throws(CallError) -> MemberAddress {
        if let present = addresses.first { return present }
        let endpoint = endpoints[position]
        let found = try await connector.addresses(of: endpoint)
        // The one that was left a moment ago comes after those that may be better.
        let isLast = { [last] (address: MemberAddress) in last?.isSamePlace(as: address) ?? false }
        addresses = (found.filter { !isLast($0) } + found.filter(isLast))[...]
        guard let present = addresses.first else {
            throw CallError(kind: .unavailable, endpoint: "\(endpoint)", reason: "the name has no address")
        }
        return present
    }

    /// Ends the turn of the present address.
    ///
    /// - Parameter wasConnected: Whether a connection was established, since which the other addresses may have become old.
    mutating func end(wasConnected: Bool) {
        if wasConnected { last = addresses.first }
        addresses = wasConnected ? [] : addresses.dropFirst()
        if addresses.isEmpty { position = (position + 1) % endpoints.count }
    }
}
#endif
