import KeyspanFileStore

/// The task of a process.
package struct Invocation: Sendable {
    /// The role of the process.
    package var role: Role
    /// The file that it opens.
    package var path: String
    /// The options of its store, by name.
    package var mode: StoreMode
    /// The name of the process among those with the same role.
    package var name: String
    /// The number of repetitions; roles that run until they are stopped ignore it.
    package var count: Int
    /// The number of openings of the file.
    package var openings: Int
    /// The seed of its random choices.
    package var seed: UInt64

    /// Makes an invocation.
    package init(
        _ role: Role,
        path: String,
        mode: StoreMode = .grouped,
        name: String = "",
        count: Int = 0,
        openings: Int = 1,
        seed: UInt64
    ) {
        (self.role, self.path, self.mode, self.name) = (role, path, mode, name)
        (self.count, self.openings, self.seed) = (count, openings, seed)
    }

    /// The arguments that say this.
    package var arguments: [String] {
        [role.rawValue, path, mode.rawValue, name, "\(count)", "\(openings)", "\(seed)"]
    }

    /// Reads ``arguments``.
    init?(arguments: [String]) {
        guard arguments.count == 7,
            let role = Role(rawValue: arguments[0]), let mode = StoreMode(rawValue: arguments[2]),
            let count = Int(arguments[4]), let openings = Int(arguments[5]), let seed = UInt64(arguments[6])
        else { return nil }
        self.init(
            role,
            path: arguments[1],
            mode: mode,
            name: arguments[3],
            count: count,
            openings: openings,
            seed: seed
        )
    }

    /// Opens the store.
    func open() throws(FileStoreError) -> JSONFileStore {
        try JSONFileStore(path: path, options: mode.options, validate: mode.validator)
    }

    /// The random choices of the process.
    var choices: RandomChoices { RandomChoices(seed: name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) }) }
}

/// The tasks that a process can have.
package enum Role: String, Sendable {
    /// Writes numbered batches, and acknowledges those that are durable.
    case writer
    /// Raises a counter of its own.
    case incrementer
    /// Raises a counter that others raise as well.
    case sharedIncrementer
    /// Edits the file without a store, as editors do.
    case editor
    /// Keeps the store open and looks at what comes in.
    case observer
    /// Opens the store again and again.
    case reader
    /// Takes the lock of the file and keeps it.
    case lockHolder
    /// Writes a lot and reports what that costs.
    case soak
    /// Migrates when it starts, and raises a counter that others raise as well.
    case migrator
    /// Exits with an unsaved write.
    case exit
    /// Exits in the validation of what another program wrote, with an unsaved write: in that of a reload, or named "batch".
    case exitValidating
    /// Raises a counter, and in a child that `fork(2)` makes as well.
    case fork
    /// Saves under several file mode creation masks.
    case masks
    /// Saves more than the limit of the size of files allows; named "ignoring", it ignores the signal of that.
    case sizeLimit
    /// Changes its working folder under a store with a relative path.
    case folders

    /// Does the work, until it is done or the process is asked to stop.
    func run(_ invocation: Invocation) throws {
        switch self {
        case .writer: try invocation.writeBatches()
        case .incrementer: try invocation.increment()
        case .sharedIncrementer: try invocation.incrementShared()
        case .editor: try invocation.edit()
        case .observer: try invocation.observe()
        case .reader: try invocation.reopen()
        case .lockHolder: try invocation.holdLock()
        case .soak: try invocation.soak()
        case .migrator: try invocation.migrate()
        case .exit: try invocation.exitUnsaved()
        case .exitValidating: try invocation.exitValidating()
        case .fork: try invocation.incrementInChild()
        case .masks: try invocation.saveUnderMasks()
        case .sizeLimit: try invocation.exceedSizeLimit()
        case .folders: try invocation.changeFolders()
        }
    }
}

/// A generator whose seed the tests choose; that of `KeyspanTesting` would load the testing library.
///
/// The algorithm is Marsaglia's xorshift.
struct RandomChoices: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// The request to end the work and to exit as programs do: SIGTERM, or the end of the tests.
enum StopRequest {
    private static let parent = getppid()

    /// Holds the signal back from now on in all threads; called before there are others.
    static func begin() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        _ = parent
    }

    /// Whether it was asked.
    static var isMade: Bool {
        var signals = sigset_t()
        sigpending(&signals)
        // Who started it may have ended without the signal.
        return sigismember(&signals, SIGTERM) == 1 || getppid() != parent
    }

    /// Returns when it is asked.
    static func wait() {
        while !isMade { usleep(2_000) }  // The pace of the looks; the end of the parent ends them.
    }
}
