import Keyspan

/// What all domains with a name hold, and which of them cannot be read.
///
/// One damaged file hides no other domain: the readable ones are shown first, and the failures are told after them.
struct DomainSurvey {
    /// The domains that have keys, sorted by name, with their contents.
    private(set) var tables: [(domain: Domain, table: PropertyListTable)] = []
    private var failures: [(domain: Domain, error: ToolError)] = []

    /// The names of the domains that exist, sorted; a file that cannot be read counts.
    var names: [String] {
        (tables.map(\.domain.name) + failures.map(\.domain.name)).sorted { $0.utf8Precedes($1) }
    }

    /// Opens every domain of a folder; creates nothing.
    init(of folder: DomainFolder) throws(ToolError) {
        for domain in try folder.domains() {
            do throws(ToolError) {
                let table = try domain.snapshot()
                if !table.isEmpty { tables.append((domain, table)) }
            } catch {
                failures.append((domain, error))
            }
        }
    }

    /// Reports all failures but the last on standard error, and throws that.
    func throwFailures() throws(ToolError) {
        for failure in failures.dropLast() {
            try KeyspanCommand.report(failure.error.message)
        }
        if let last = failures.last { throw last.error }
    }
}
