#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// All state of a publisher, behind its one lock.
struct PublisherState: Sendable {
    /// A stream of events to one client.
    struct Stream: Sendable {
        /// The place of its group.
        let group: Int
        let peer: String?
        let events: AsyncStream<[UInt8]>.Continuation
    }

    /// The revision of the latest change of any group; `nil` until the stores were read.
    private(set) var revision: Int64?
    /// The number of changes, by which those who send events know that there is a later one.
    private(set) var changeCount = 0
    /// The contents of the groups; none until they were read.
    private(set) var contents: [PublishedContents] = []
    private(set) var streams: [UInt64: Stream] = [:]
    private(set) var refusedStreamCount = 0
    /// The numbers of streams of peers that have some.
    private var peers = TextDictionary<Int>()
    private var lastStream: UInt64 = 0
    var observations: [StoreObservation] = []
    var heartbeat: Task<Void, Never>?
    private(set) var isClosed = false
    /// Whether the host had no number for the last reading, which was not taken.
    var isNumberMissing = false
    /// Whether a thread reads the stores, and whether it has to read them once more.
    private var (isReading, isReadingDue) = (false, false)
    /// When a notice of a kind was last reported that anyone can cause again and again, in seconds since 1970.
    private var lastReports: [SettingsPublisherNotice.Kind: Double] = [:]

    /// Takes everything that ends with the publisher.
    mutating func close() -> (streams: [Stream], observations: [StoreObservation], heartbeat: Task<Void, Never>?) {
        isClosed = true
        defer { (streams, peers, observations, heartbeat) = ([:], [:], [], nil) }
        return (Array(streams.values), observations, heartbeat)
    }
}

// MARK: - Reading

extension PublisherState {
    /// Requests a reading of the stores.
    ///
    /// - Returns: Whether the caller must read; `false` if another thread reads already, and will do this too.
    mutating func beginReading() -> Bool {
        if isClosed { return false }
        isReadingDue = true
        if isReading { return false }
        isReading = true
        return true
    }

    /// Whether there is another reading for the thread that reads; if not, it stops.
    mutating func takeReading() -> Bool {
        defer { isReadingDue = false }
        isReading = isReadingDue && !isClosed
        return isReading
    }

    /// Takes the contents of all groups at a revision.
    ///
    /// - Parameters:
    ///   - contents: The contents, in the order of the publisher's groups.
    ///   - number: Returns the revision, from the one before and whether there is a change for clients.
    /// - Returns: Whether there is a change for clients.
    mutating func take(
        _ contents: [PublishedContents],
        at number: (_ last: Int64?, _ isChange: Bool) -> Int64
    ) -> Bool {
        let isChange = self.contents.map(\.state) != contents.map(\.state)
        self.contents = contents
        revision = number(revision, isChange)
        if isChange { changeCount += 1 }
        return isChange
    }
}

extension PublisherState {
    /// Whether no notice of a kind was reported within an hour, so that one is now.
    mutating func beginReport(_ kind: SettingsPublisherNotice.Kind, at now: Double) -> Bool {
        if let last = lastReports[kind], abs(now - last) < 3_600 { return false }
        lastReports[kind] = now
        return true
    }
}

// MARK: - Streams

extension PublisherState {
    /// Adds a stream.
    ///
    /// - Returns: Its number; `nil` if the publisher is closed or there are too many.
    mutating func add(_ stream: Stream, _ options: SettingsPublisherOptions) -> Result<UInt64, StreamRefusal> {
        if isClosed { return .failure(.closed) }
        let ofPeer = stream.peer.map { peers[$0] ?? 0 } ?? -1
        if streams.count >= options.maximumStreams || ofPeer >= options.maximumStreamsPerPeer {
            refusedStreamCount += 1
            return .failure(streams.count >= options.maximumStreams ? .tooMany : .tooManyOfPeer)
        }
        lastStream += 1
        streams[lastStream] = stream
        if let peer = stream.peer { peers[peer] = ofPeer + 1 }
        return .success(lastStream)
    }

    /// Removes a stream, if it is there.
    mutating func removeStream(_ number: UInt64) {
        guard let peer = streams.removeValue(forKey: number)?.peer, let count = peers[peer] else { return }
        peers[peer] = count > 1 ? count - 1 : nil
    }
}

/// Why a client receives no stream.
enum StreamRefusal: Error {
    case closed
    /// The first values of the group were too large for a document.
    case noValues
    case tooMany
    case tooManyOfPeer
}
#endif
