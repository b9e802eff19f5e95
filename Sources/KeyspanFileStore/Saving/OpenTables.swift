internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The tables of all stores that are in use, so that the process can save them when it exits.
///
/// A normal exit, by `exit(3)` or at the end of `main`, saves what is unsaved. A process that is killed, crashes or calls
/// `_exit(2)` does not come here, and loses what it changed since the last save.
package final class OpenTables: Sendable {
    /// The tables of this process.
    ///
    /// The first use registers an `atexit(3)` handler that saves them.
    package static let ofProcess: OpenTables = {
        // The handler fails to register only without memory for it; the delayed saves are not affected.
        _ = atexit { OpenTables.ofProcess.saveAll() }
        return OpenTables()
    }()

    /// Who owns the tables: a child that `fork(2)` made has copies, and would save old values over its parent's.
    private let process = getpid()
    private let tables = Mutex<[ObjectIdentifier: FileBackedTable]>([:])

    /// Makes an empty list.
    package init() {}

    /// Adds a table, which stays alive until it is removed.
    package func insert(_ table: FileBackedTable) {
        tables.withLock { $0[ObjectIdentifier(table)] = table }
    }

    /// Removes a table, whose store has saved it.
    package func remove(_ table: FileBackedTable) {
        // The table is released by the caller, not under the lock.
        tables.withLock { $0[ObjectIdentifier(table)] = nil }
    }

    /// Saves what is unsaved in any table, and waits for saves that are running.
    package func saveAll() {
        guard getpid() == process else { return }
        for table in tables.withLock({ Array($0.values) }) {
            table.saveAndReport()
        }
    }
}
