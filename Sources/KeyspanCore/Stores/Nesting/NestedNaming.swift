internal import Synchronization

/// How the names of a table lead into dictionaries: `tls.port` is the member `port` of the entry `tls`, unless there is an entry `tls.port`.
///
/// The meaning of a name depends on the table alone, so that all who have the same table find the same. Only the place of a value that
/// the table does not have yet depends on the keys of its writer.
package final class NestedNaming: Sendable {
    /// Where new names go.
    package enum NewNames: Sendable, Hashable {
        /// Into dictionaries.
        case nested
        /// Each into an entry of its own, or a dictionary that is there.
        case flat
        /// Into dictionaries, if most of the table's names with groups are there.
        case likeOthers
    }

    /// The groups that may be made for new names.
    package let groups: GroupNames
    /// How the entries for the keys are listed.
    package let listing: EntryListing?
    /// Where new names go.
    let newNames: NewNames
    /// Whether of two places of a name the one in more dictionaries counts.
    let deepestCounts: Bool

    /// The answer of ``nestsMostNames(finding:)``: 0 for none yet, 1 for `false`, 2 for `true`.
    private let mostNames = Atomic<UInt8>(0)

    /// Makes a naming.
    package init(groups: GroupNames = GroupNames(), newNames: NewNames = .likeOthers, deepestCounts: Bool = false) {
        self.groups = groups
        listing = EntryListing(of: groups)
        self.newNames = newNames
        self.deepestCounts = deepestCounts
    }

    /// Whether most names with groups are in dictionaries; found once for each version of a file, because that takes a look at all.
    ///
    /// All tables of a file share the answer.
    func nestsMostNames(finding find: () -> Bool) -> Bool {
        let found = mostNames.load(ordering: .relaxed)
        if found > 0 { return found == 2 }
        let isMost = find()
        mostNames.store(isMost ? 2 : 1, ordering: .relaxed)
        return isMost
    }

    /// The same naming for a new version of the file.
    package var renewed: NestedNaming {
        NestedNaming(groups: groups, newNames: newNames, deepestCounts: deepestCounts)
    }

    /// The same naming with the groups of more keys.
    package func with(_ keys: some Sequence<String>) -> NestedNaming {
        var groups = groups
        groups.formUnion(keys)
        return groups == self.groups
            ? self : NestedNaming(groups: groups, newNames: newNames, deepestCounts: deepestCounts)
    }
}
