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
