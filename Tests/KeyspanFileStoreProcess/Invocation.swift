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

    /// Makes an invocation.
    package init(
        _ role: Role,
        path: String,
        mode: StoreMode = .grouped,
        name: String = "",
        count: Int = 0,
        openings: Int = 1
    ) {
        (self.role, self.path, self.mode, self.name) = (role, path, mode, name)
        (self.count, self.openings) = (count, openings)
    }

    /// The arguments that say this.
    package var arguments: [String] {
        [role.rawValue, path, mode.rawValue, name, "\(count)", "\(openings)"]
    }

    /// Reads ``arguments``.
    init?(arguments: [String]) {
        guard arguments.count == 6,
            let role = Role(rawValue: arguments[0]), let mode = StoreMode(rawValue: arguments[2]),
            let count = Int(arguments[4]), let openings = Int(arguments[5])
        else { return nil }
        self.init(role, path: arguments[1], mode: mode, name: arguments[3], count: count, openings: openings)
    }

    /// Opens the store.
    func open() throws(FileStoreError) -> JSONFileStore {
        try JSONFileStore(path: path, options: mode.options, validate: mode.validator)
    }
}

/// The tasks that a process can have.
package enum Role: String, Sendable {
    /// Writes numbered batches, and acknowledges those that are durable.
    case writer
    /// Raises a counter of its own.
    case incrementer
    /// Raises a counter that others raise as well.
    case sharedIncrementer
    /// Writes keys of its own.
    case keys
    /// Edits the file without a store, as editors do.
    case editor
    /// Keeps the store open and looks at what comes in.
    case observer
    /// Opens the store again and again.
    case reader
    /// Takes the lock of the file and keeps it.
    case lockHolder
    /// Writes a lot and tells what that costs.
    case soak
    /// Writes numbers and tells when each was durable.
    case sender
    /// Tells when the numbers come in.
    case receiver
    /// Writes on its only thread, and looks whether its observers are called there and at once.
    case listener
    /// Migrates when it starts, and raises a counter that others raise as well.
    case migrator

    /// Makes the work.
    func make(for invocation: Invocation) -> any Work {
        switch self {
        case .writer: Writer(invocation: invocation)
        case .incrementer: Incrementer(invocation: invocation)
        case .sharedIncrementer: SharedIncrementer(invocation: invocation)
        case .keys: KeyWriter(invocation: invocation)
        case .editor: Editor(invocation: invocation)
        case .observer: Observer(invocation: invocation)
        case .reader: Reader(invocation: invocation)
        case .lockHolder: LockHolder(invocation: invocation)
        case .soak: Soak(invocation: invocation)
        case .sender: Sender(invocation: invocation)
        case .receiver: Receiver(invocation: invocation)
        case .listener: Listener(invocation: invocation)
        case .migrator: Migrator(invocation: invocation)
        }
    }
}

/// The work of one role.
protocol Work {
    /// Does it, until it is done or the process is asked to stop.
    func run() throws
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
        while !isMade { usleep(2_000) }
    }
}
