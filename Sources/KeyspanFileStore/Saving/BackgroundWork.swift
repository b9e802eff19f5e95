/// What a table does with its file without being asked.
package enum BackgroundWork: Sendable, Hashable, CaseIterable {
    /// Putting this process's writes into the file or its journal.
    case save
    /// Bringing what is in the journal into the file.
    case fold
    /// Reading what others wrote.
    case refresh
}
