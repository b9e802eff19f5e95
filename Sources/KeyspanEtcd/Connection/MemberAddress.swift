#if Etcd
/// One address of a member of the cluster, as numbers.
struct MemberAddress: Sendable, Hashable, CustomStringConvertible {
    /// The member, as the store was given it.
    let endpoint: Endpoint
    /// An IPv4 or IPv6 address, the latter without brackets.
    let host: String
    /// Whether the name of the member has other addresses too.
    let isOneOfSeveral: Bool

    var port: Int { endpoint.port }

    /// The member, with the address if its name does not say which one that is.
    var description: String { isOneOfSeveral ? "\(endpoint) (\(host))" : "\(endpoint)" }

    /// Whether another address leads to the same place, however many addresses the name had when each was found.
    func isSamePlace(as other: MemberAddress) -> Bool { endpoint == other.endpoint && host == other.host }

    /// Makes the addresses of a member.
    ///
    /// The version of the protocol that the system prefers comes first. Within each, the order is that of chance, so that the stores of many
    /// machines do not all have the same member where one name stands for several.
    ///
    /// - Parameter hosts: The addresses that the system has found, in its order.
    static func all(of endpoint: Endpoint, at hosts: [String]) -> [MemberAddress] {
        guard let first = hosts.first else { return [] }
        let different = Set(hosts)
        let (preferred, others) = different.reduce(into: ([String](), [String]())) { parts, host in
            if host.isIPv6 == first.isIPv6 { parts.0.append(host) } else { parts.1.append(host) }
        }
        return (preferred.shuffled() + others.shuffled()).map {
            MemberAddress(endpoint: endpoint, host: $0, isOneOfSeveral: different.count > 1)
        }
    }
}

extension MemberAddress {
    /// Whether the address is of version 6.
    var isIPv6: Bool { host.isIPv6 }
}

extension String {
    fileprivate var isIPv6: Bool { utf8.contains(UInt8(ascii: ":")) }
}
#endif
