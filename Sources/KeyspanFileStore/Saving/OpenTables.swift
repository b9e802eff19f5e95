#if canImport(Glibc)
import KeyspanCore
import Glibc
#elseif canImport(Musl)
import KeyspanCore
import Musl
#else
import KeyspanCore
import Darwin
#endif

/// The tables of all stores that are in use: one for each file, and all of them to be saved when the process exits.
///
/// Stores of one file share its table, so that what one of them writes is there for the other at once. Two tables would be
/// as correct, and treat each other like two processes, but one would see the other's writes only after they were saved.
///
/// A normal exit, by `exit(3)` or at the end of `main`, saves what is unsaved. A process that is killed, crashes or calls
/// `_exit(2)` does not come here, and loses what it changed since the last save.
package final class OpenTables: Sendable {
    /// The tables of this process.
    ///
    /// The first use registers an `atexit(3)` handler that saves them.
    package static let ofProcess: OpenTables = {
        // The handler fails to register only without memory for it; the delayed saves are not affected.
        _ = atexit { OpenTables.ofProcess.settleAll() }
        return OpenTables()
    }()

    private struct Entry {
        let table: FileBackedTable
        /// How many stores use the table.
        var users = 1
        /// How many threads settle the table for the last time, because no store uses it any more.
        var closers = 0

        /// Whether nobody needs the table.
        var isUnused: Bool { users == 0 && closers == 0 }
    }

    /// The tables of one identity.
    ///
    /// Only the last is shared: the others are of files whose folders were removed, and the system
    /// has given the numbers of those to new ones.
    private typealias Entries = [Entry]

    /// Who owns the tables: a child that `fork(2)` made has copies, and would save old values over its parent's.
    private let process = getpid()
    private let entries = Locked<[FileIdentity: Entries]>([:])

    /// Makes an empty list.
    package init() {}

    /// The table of a file, to be given back with ``close(_:of:)``.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - settings: How the table is to follow it.
    ///   - isStill: Whether the path of a table that is open leads to the file now.
    ///   - open: Opens the table if no store has it open.
    /// - Throws: What `open` throws, or ``FileStoreError`` if the file is open with other settings.
    package func table(
        of file: FileIdentity,
        settings: FileTableSettings,
        isStill: (FileBackedTable) -> Bool,
        opening open: () throws(FileStoreError) -> FileBackedTable
    ) throws(FileStoreError) -> FileBackedTable {
        let shared = use(file)
        if let shared {
            if isStill(shared) { return try check(shared, of: file, settings) }
            close(shared, of: file)
        }
        // Reads the disk, so not under the lock. Of two threads that come here one is late and takes the other's.
        let new = try open()
        let table = entries.withLock { entries in
            if let last = entries[file]?.indices.last, let table = entries[file]?[last].table, table !== shared {
                entries[file]?[last].users += 1
                return table
            }
            entries[file, default: []].append(Entry(table: new))
            return new
        }
        if table !== new { new.close() }
        return try check(table, of: file, settings)
    }

    /// Gives a table back, which is settled and closed if nobody else uses it.
    ///
    /// The table stays listed until it is settled: a process that exits meanwhile waits for that, and a thread that opens the
    /// file meanwhile shares the table. It would find the old contents on the disk.
    package func close(_ table: FileBackedTable, of file: FileIdentity) {
        let mustSettle = change(table, of: file) { entry in
            entry.users -= 1
            if entry.users == 0 { entry.closers += 1 }
            return entry.users == 0
        }
        guard mustSettle else { return }
        table.settle()
        let isUnused = change(table, of: file) { entry in
            entry.closers -= 1
            return entry.isUnused
        }
        if isUnused { table.close() }
    }

    /// Saves what is unsaved in any table, and waits for saves that are running.
    package func settleAll() {
        guard getpid() == process else { return }
        for table in entries.withLock({ $0.values.flatMap { $0.map(\.table) } }) {
            table.settle()
        }
    }

    /// Changes the entry of a table, and removes it if nobody needs the table any more.
    private func change(_ table: FileBackedTable, of file: FileIdentity, _ body: (inout Entry) -> Bool) -> Bool {
        entries.withLock { entries in
            guard var list = entries[file], let index = list.firstIndex(where: { $0.table === table }) else {
                return false
            }
            let answer = body(&list[index])
            if list[index].isUnused { list.remove(at: index) }
            entries[file] = list.isEmpty ? nil : list
            return answer
        }
    }

    private func use(_ file: FileIdentity) -> FileBackedTable? {
        entries.withLock { entries in
            guard let last = entries[file]?.indices.last else { return nil }
            entries[file]?[last].users += 1
            return entries[file]?[last].table
        }
    }

    private func check(
        _ table: FileBackedTable,
        of file: FileIdentity,
        _ settings: FileTableSettings
    ) throws(FileStoreError) -> FileBackedTable {
        if table.settings == settings { return table }
        close(table, of: file)
        throw .openWithOtherSettings(path: table.path)
    }
}
