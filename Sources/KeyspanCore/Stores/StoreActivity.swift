/// The work of a store with its source, such as a file: for metrics.
///
/// A `switch` needs a `default`, because cases may be added.
public enum StoreActivity: Sendable, Hashable {
    /// Values that someone else wrote to the source have taken effect: the time to read, check and admit them.
    case reloaded(duration: Duration)
    /// A version of the source was rejected, or some of its values were held back; the values before stay in effect.
    ///
    /// Once for each version, and once for each reload that failed.
    case rejected
    /// Values were written to the source, or brought from a journal into it: the bytes that were written, and the time.
    case saved(bytes: Int, duration: Duration)
    /// An attempt to save failed, or an attempt to make what was saved durable.
    case saveFailed
    /// Everything that was applied before is durable: the time from the request until then, shared by the threads that waited together.
    case flushed(duration: Duration)
    /// A batch was rejected because a key did not hold the value that the batch expected.
    case conflict
}

/// Whether the contents of a store match its source.
public struct ContentsStatus: Sendable, Hashable {
    /// When the store last read the source as a whole and accepted its contents; `nil` if that never happened.
    public let lastGood: ContinuousClock.Instant?
    /// Since when the source has had a version that the store cannot read or has rejected; `nil` if its present version is in effect.
    public let staleSince: ContinuousClock.Instant?

    /// Makes a status.
    @_spi(StoreAuthors) public init(lastGood: ContinuousClock.Instant?, staleSince: ContinuousClock.Instant?) {
        self.lastGood = lastGood
        self.staleSince = staleSince
    }
}

/// A store that reports what it does with its source.
///
/// ```swift
/// func watchSaves(of store: any ActivityReporting) -> StoreObservation {
///     store.observeActivity { activity in
///         if case .saved(let bytes, let duration) = activity { print("\(bytes) bytes in \(duration)") }
///     }
/// }
/// ```
///
/// Without observers nothing is measured.
public protocol ActivityReporting: PropertyListStore {
    /// Registers an observer of everything that the store does with its source from now on.
    ///
    /// Stores on one file in one process share its activity.
    ///
    /// - Parameter receive: Called without any lock, in order and never twice at once, on the thread that did it or on another one that
    ///   works for the store. It should return quickly, and may use the store.
    /// - Returns: The registration. It ends when it is canceled or released.
    func observeActivity(_ receive: @escaping @Sendable (StoreActivity) -> Void) -> StoreObservation

    /// Whether the contents match the source; from memory.
    var contentsStatus: ContentsStatus { get }

    /// The names of keys whose values are in the memory of this process only; from memory, also while the disk does not answer.
    ///
    /// Keys that a batch has removed together with all others are not among them.
    var unsavedKeys: [String] { get }
}

extension ActivityReporting {
    /// None, for a store that writes nothing.
    public var unsavedKeys: [String] { [] }
}
