/// The entries that the library itself has in a store, beside those of a program's keys.
package enum LibraryEntries {
    private static let names = [KeptValues.entryName, MigrationRecord.entryName]

    /// Whether an entry is one of them.
    ///
    /// They contain values that other entries had, with more around them: a limit for one value is none for them.
    package static func contains(_ name: String) -> Bool {
        names.contains { $0.hasSameUTF8(as: name) }
    }
}
