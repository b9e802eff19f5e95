internal import KeyspanCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

extension FileEngine {
    /// Whether the engine's path still leads to a file.
    func isAt(_ identity: FileIdentity, in fileSystem: any FileSystem) -> Bool {
        identity == FileIdentity(of: AbsolutePath(path, relativeTo: "/"), in: fileSystem)
    }
}

/// The engines of all stores that are in use: one for each file, all of which are saved when the process exits.
///
/// Stores of one file share its engine, so that each reads the others' writes at once. Two engines would be as correct, and
/// treat each other like two processes, but one would see the other's writes only after they were saved.
///
/// A normal exit, by `exit(3)` or at the end of `main`, saves what is unsaved. A process that is killed, crashes or calls
/// `_exit(2)` loses what it changed since the last save.
package final class OpenEngines: Sendable {
    /// The engines of this process.
    ///
    /// The first use registers an `atexit(3)` handler that saves them.
    package static let ofProcess: OpenEngines = {
        // Registering fails only without memory for the handler; the delayed saves are not affected.
        _ = atexit { OpenEngines.ofProcess.settleAll() }
        return OpenEngines()
    }()

    private struct Entry {
        let engine: FileEngine
        /// How many stores use the engine.
        var users = 1
        /// How many threads settle the engine for the last time, because no store uses it anymore.
        var closers = 0

        var isUnused: Bool { users == 0 && closers == 0 }
    }

    /// The engines of one identity.
    ///
    /// Only the last is shared: the others are of files whose folders were removed, and the system has reused the numbers of
    /// those folders for new ones.
    private typealias Entries = [Entry]

    /// The owner of the engines: a child that `fork(2)` made has copies, and would save old values over its parent's.
    private let process = getpid()
    private let entries = Locked<[FileIdentity: Entries]>([:])

    /// Makes an empty list.
    package init() {}

    /// The engine of a file, to be returned with ``close(_:of:)``.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - format: The name of the file's format.
    ///   - options: How the store behaves.
    ///   - isCurrent: Whether the path of an open engine still leads to the file.
    ///   - open: Opens the engine if no store has it open.
    /// - Throws: The error of `open`, or ``FileStoreError`` if the file is open with another format or other options.
    package func engine(
        of file: FileIdentity,
        format: String,
        options: FileStoreOptions,
        isCurrent: (FileEngine) -> Bool,
        opening open: () throws(FileStoreError) -> FileEngine
    ) throws(FileStoreError) -> FileEngine {
        let engine = try sharedEngine(of: file, isCurrent: isCurrent, opening: open)
        if engine.codec.name == format, engine.options == options { return engine }
        close(engine, of: file)
        throw .openWithOtherSettings(path: engine.path)
    }

    private func sharedEngine(
        of file: FileIdentity,
        isCurrent: (FileEngine) -> Bool,
        opening open: () throws(FileStoreError) -> FileEngine
    ) throws(FileStoreError) -> FileEngine {
        let present = use(file)
        if let present {
            if isCurrent(present) { return present }
            close(present, of: file)
        }
        // Not under the lock, because it reads the disk. If two threads race, the loser uses the winner's engine.
        let new = try open()
        let engine = entries.withLock { entries in
            if let last = entries[file]?.indices.last, let engine = entries[file]?[last].engine, engine !== present {
                entries[file]?[last].users += 1
                return engine
            }
            entries[file, default: []].append(Entry(engine: new))
            return new
        }
        if engine !== new { new.close() }
        return engine
    }

    /// Returns an engine, which is settled and closed if no other store uses it.
    ///
    /// The engine stays listed until it is settled: a process that exits meanwhile waits for that, and a thread that opens the
    /// file meanwhile shares the engine. It would find the old contents on the disk.
    package func close(_ engine: FileEngine, of file: FileIdentity) {
        let mustSettle = change(engine, of: file) { entry in
            entry.users -= 1
            if entry.users == 0 { entry.closers += 1 }
            return entry.users == 0
        }
        guard mustSettle else { return }
        // A store that is released within a validation cannot save there: the file may be locked, or its lock wait for the validation.
        if Examination.isRunningOnThisThread {
            engine.runInBackground { self.settleForTheLastTime(engine, of: file) }
        } else {
            settleForTheLastTime(engine, of: file)
        }
    }

    private func settleForTheLastTime(_ engine: FileEngine, of file: FileIdentity) {
        let hasAnswered = engine.settle()
        let isUnused = change(engine, of: file) { entry in
            entry.closers -= 1
            return entry.isUnused
        }
        // The end of a store must not wait for a disk that does not answer; the system closes the file with the process.
        if isUnused, hasAnswered { engine.close() }
    }

    /// Saves what is unsaved in any engine, and waits for saves that are running.
    package func settleAll() {
        guard getpid() == process else { return }
        for engine in entries.withLock({ $0.values.flatMap { $0.map(\.engine) } }) {
            engine.settle()
        }
    }

    /// Changes the entry of an engine, and removes it if the engine is unused.
    private func change(_ engine: FileEngine, of file: FileIdentity, _ body: (inout Entry) -> Bool) -> Bool {
        entries.withLock { entries in
            guard var list = entries[file], let index = list.firstIndex(where: { $0.engine === engine }) else {
                return false
            }
            let answer = body(&list[index])
            if list[index].isUnused { list.remove(at: index) }
            entries[file] = list.isEmpty ? nil : list
            return answer
        }
    }

    private func use(_ file: FileIdentity) -> FileEngine? {
        entries.withLock { entries in
            guard let last = entries[file]?.indices.last else { return nil }
            entries[file]?[last].users += 1
            return entries[file]?[last].engine
        }
    }
}
