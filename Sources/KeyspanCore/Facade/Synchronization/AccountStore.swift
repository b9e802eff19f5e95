#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A shared store whose values belong to an account, which the user of the device can change.
package protocol AccountStore: PropertyListStore {
    /// The account that the present values belong to.
    var account: StoreAccount { get }

    /// Applies a batch that was made for the values of an account.
    ///
    /// - Returns: `false` if the values belong to another account, or are about to. Nothing has changed then, and the
    ///   observers of the account are notified once its values can be read.
    func apply(_ batch: PropertyListBatch, for account: StoreAccount) throws(StoreError) -> Bool

    /// Calls a closure after each change of the account, once the values of the new one can be read.
    func observeAccount(_ receive: @escaping @Sendable () -> Void) -> StoreObservation
}

/// The account that the values of a store belong to.
package struct StoreAccount: Sendable, Hashable {
    /// The same data whenever this account is used; `nil` if nobody is signed in, or the system does not name the account.
    package var identity: Data?

    /// The number of changes since the store was opened that may have led to another account.
    package var changes = 0

    /// Makes an account.
    package init(identity: Data? = nil, changes: Int = 0) {
        self.identity = identity
        self.changes = changes
    }
}
