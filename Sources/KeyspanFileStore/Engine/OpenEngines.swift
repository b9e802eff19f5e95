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

    private struct Use {
        let engine: FileEngine
        /// Where a further store of the file finds the engine.
        var places: [FileIdentity]
        /// How many stores use the engine.
        var users = 1
        /// How many threads settle the engine for the last time, because no store uses it anymore.
        var closers = 0

        var isUnused: Bool { users == 0 && closers == 0 }
    }

    private struct State {
        /// The owner of the engines.
        let process = getpid()
        var uses: [ObjectIdentifier: Use] = [:]
        /// The engine that was last listed in each place.
        ///
        /// An earlier one is of a file whose folder was removed, and the system has reused the number of that folder.
        var engines: [FileIdentity: FileEngine] = [:]
        /// How many engines were opened before their folders existed.
        var countWithoutFolder = 0

        mutating func add(_ engine: FileEngine, at places: [FileIdentity]) {
            uses[ObjectIdentifier(engine)] = Use(engine: engine, places: places)
            for place in places { engines[place] = engine }
            if places.first?.isWithoutFolder == true { countWithoutFolder += 1 }
        }

        /// Lists an engine in one more place, unless another thread has listed another one there that is of the same file.
        ///
        /// - Parameter others: Engines of other files.
        /// - Returns: The listed engine. If it is not the given one, it has one more user.
        mutating func list(_ engine: FileEngine, at place: FileIdentity, insteadOf others: [FileEngine]) -> FileEngine {
            let present = engines[place].flatMap { found in others.contains { $0 === found } ? nil : found } ?? engine
            if present === engine {
                engines[place] = engine
                uses[ObjectIdentifier(engine)]?.places.append(place)
            } else {
                uses[ObjectIdentifier(present)]?.users += 1
            }
            return present
        }

        mutating func remove(_ use: Use) {
            uses[ObjectIdentifier(use.engine)] = nil
            for place in use.places where engines[place] === use.engine { engines[place] = nil }
            if use.places.first?.isWithoutFolder == true { countWithoutFolder -= 1 }
        }
    }

    private let state = Locked(State())

    /// Makes an empty list.
    package init() {}

    /// The engine of a file, to be returned with ``close(_:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - fileSystem: Where the file is.
    ///   - format: The name of the file's format.
    ///   - options: How the store behaves.
    ///   - open: Opens the engine if no store has it open.
    /// - Throws: The error of `open`, or ``FileStoreError`` if the file is open with another format or other options.
    package func engine(
        of path: AbsolutePath,
        in fileSystem: any FileSystem,
        format: String,
        options: FileStoreOptions,
        opening open: () throws(FileStoreError) -> FileEngine
    ) throws(FileStoreError) -> FileEngine {
        let engine = try sharedEngine(of: path, in: fileSystem, opening: open)
        if engine.codec.name == format, engine.options == options { return engine }
        close(engine)
        throw .openWithOtherSettings(path: engine.path)
    }

    private func sharedEngine(
        of path: AbsolutePath,
        in fileSystem: any FileSystem,
        opening open: () throws(FileStoreError) -> FileEngine
    ) throws(FileStoreError) -> FileEngine {
        let file = FileIdentity(of: path, in: fileSystem)
        let places = [file, .path(UTF8Text(path.text))]
        var others: [FileEngine] = []
        if let engine = use(file) {
            if engine.isAt(file, in: fileSystem) { return engine }
            close(engine)
            others.append(engine)
        }
        // The folder may have been made or replaced since another store opened the file.
        let isWithoutFolder = state.withLock { $0.countWithoutFolder > 0 }
        let earlier = isWithoutFolder ? Array(FileIdentity.inFolders(on: path, in: fileSystem).dropFirst()) : []
        for place in earlier + places.dropFirst() {
            guard let engine = use(place) else { continue }
            guard engine.isAt(file, in: fileSystem) else {
                close(engine)
                others.append(engine)
                continue
            }
            do throws(FileStoreError) {
                try engine.readAgain()
            } catch {
                close(engine)
                throw error
            }
            let listed = state.withLock { $0.list(engine, at: file, insteadOf: others) }
            if listed !== engine { close(engine) }
            return listed
        }
        // Not under the lock, because it reads the disk. If two threads race, the loser uses the winner's engine.
        let new = try open()
        let engine = state.withLock { state in
            let winner = places.compactMap { state.engines[$0] }.first { found in !others.contains { $0 === found }
            }
            guard let winner else {
                state.add(new, at: places)
                return new
            }
            state.uses[ObjectIdentifier(winner)]?.users += 1
            return winner
        }
        if engine !== new { new.close() }
        return engine
    }

    /// Returns an engine, which is settled and closed if no other store uses it.
    ///
    /// The engine stays listed until it is settled: a process that exits meanwhile waits for that, and a thread that opens the
    /// file meanwhile shares the engine. It would find the old contents on the disk.
    package func close(_ engine: FileEngine) {
        let mustSettle = change(engine) { use in
            use.users -= 1
            if use.users == 0 { use.closers += 1 }
            return use.users == 0
        }
        guard mustSettle else { return }
        // A store that is released within a validation cannot save there: the file may be locked, or its lock wait for the validation.
        if Examination.isRunningOnThisThread {
            engine.runInBackground { self.settleForTheLastTime(engine) }
        } else {
            settleForTheLastTime(engine)
        }
    }

    private func settleForTheLastTime(_ engine: FileEngine) {
        let hasAnswered = engine.settle()
        let isUnused = change(engine) { use in
            use.closers -= 1
            return use.isUnused
        }
        // The end of a store must not wait for a disk that does not answer; the system closes the file with the process.
        if isUnused, hasAnswered { engine.close() }
    }

    /// Saves what is unsaved in any engine, and waits for saves that are running.
    package func settleAll() {
        let engines = state.withLock { $0.process == getpid() ? $0.uses.values.map(\.engine) : [] }
        for engine in engines { engine.settle() }
    }

    /// Changes the use of an engine, and removes it if the engine is unused.
    private func change(_ engine: FileEngine, _ body: (inout Use) -> Bool) -> Bool {
        state.withLock { state in
            guard var use = state.uses[ObjectIdentifier(engine)] else { return false }
            let answer = body(&use)
            state.uses[ObjectIdentifier(engine)] = use
            if use.isUnused { state.remove(use) }
            return answer
        }
    }

    private func use(_ place: FileIdentity) -> FileEngine? {
        state.withLock { state in
            // A child that `fork(2)` made has copies: it would have its parent's locks, and save old values over the parent's.
            if state.process != getpid() { state = State() }
            guard let engine = state.engines[place] else { return nil }
            state.uses[ObjectIdentifier(engine)]?.users += 1
            return engine
        }
    }
}
