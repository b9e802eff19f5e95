import Keyspan
import KeyspanCore
import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The masks of a domain that is followed: its schema changes if the domain names another one, and if the file of the schema changes.
///
/// A schema that is lost hides more, and never less: without the member `$schema` the last one counts, and without the file it counts
/// beside the mask that hides all that could be secret.
struct FollowedMask {
    private let domain: Domain
    private let policy: SecretPolicy
    private var reference: SchemaReference?
    private var version: FileSignature?
    /// The mask of the last schema that could be read.
    private var known = SecretMask.none
    /// The mask while the schema cannot be read.
    private var unknown: SecretMask?
    /// The masks of former schemas, each with the time until which changes may have values from its time.
    private var former: [(mask: SecretMask, end: Date)] = []

    /// Makes the masks for the contents of a domain, and reports if it is unknown which values are secret.
    init(of domain: Domain, _ members: PropertyListTable, by policy: SecretPolicy) {
        (self.domain, self.policy) = (domain, policy)
        if case .of = policy {
            known = policy.mask(of: domain, members)
            if let warning = known.warning { KeyspanCommand.report(warning) }
        } else {
            if case .ofDomains = policy { known = .ofNoSchema }
            _ = masks(for: members, at: Date())
        }
    }

    /// The masks for a change, all of which count; reports if it has become unknown which values are secret.
    ///
    /// - Parameters:
    ///   - members: The present contents of the domain.
    ///   - date: The time of the change.
    mutating func masks(for members: PropertyListTable, at date: Date) -> [SecretMask] {
        former.removeAll { $0.end < date }
        guard case .ofDomains = policy, let present = SchemaReference(of: domain, members) else { return masks }
        let isSame = present == reference
        guard let (mask, version) = domain.secretMask(by: present, unlessIs: isSame ? version : nil) else {
            return masks
        }
        (reference, self.version) = (present, version)
        let warning = (unknown ?? known).warning
        if mask.isUnknown {
            unknown = mask
        } else {
            former.append((known, Date()))
            (known, unknown) = (mask, nil)
        }
        if let new = mask.warning, new != warning { KeyspanCommand.report(new) }
        return masks
    }

    private var masks: [SecretMask] { [known] + [unknown].compactMap(\.self) + former.map(\.mask) }
}
