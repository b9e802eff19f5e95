#if !canImport(Darwin)
package import Foundation

/// How much may be looked at in an archive, and be made of it: some bytes for each of its own.
///
/// The check of an archive spends what it looks at, so that no archive keeps a reader busy for long.
package struct ArchiveBudget {
    /// How many bytes any archive may stand for.
    package static let bytesAtLeast = 1 << 16
    /// How many bytes a larger archive may stand for, for each of its own.
    ///
    /// Names of properties can be long, and all objects of a class share them.
    package static let bytesPerByte = 64

    /// What may be spent, and what the archive may stand for.
    package let limit: Int
    /// What was spent.
    package private(set) var spent = 0

    /// Makes the budget of an archive.
    package init(for archive: Data) {
        limit = max(Self.bytesAtLeast, archive.count * Self.bytesPerByte)
    }

    /// Spends some of it, or answers that too little is left.
    mutating func spend(_ amount: Int) -> Bool {
        guard amount <= limit - spent else { return false }
        spent += amount
        return true
    }
}
#endif
