#if Remote
/// The servers that sign the documents, and the requests that reach them.
struct SimulatedOrigin {
    /// A request that reaches the origin.
    enum Request {
        case document, notModified, redirect, missing, stream, refused

        /// The size of the answer.
        fileprivate var bytes: Int {
            switch self {
            case .document: 2_000
            case .notModified, .stream: 300
            case .redirect: 250
            case .missing: 200
            case .refused: 0
            }
        }
    }

    static let eventBytes = 100

    private(set) var (documents, notModified, redirects, missing, streams, refused) = (0, 0, 0, 0, 0, 0)
    private(set) var bytes = 0
    private(set) var events = 0
    /// The requests that were answered in each second, the bytes of the answers, and the requests that were refused.
    private var (requestsPerSecond, bytesPerSecond, refusedPerSecond): ([Int], [Int], [Int])
    private let counted: Range<Int>
    private let capacity: Int

    /// The number of the latest document.
    private(set) var document = 0
    /// The time of the change to it, and the time until all servers have it.
    private var (changed, delay) = (0, 0)
    private var dice: Dice
    var isDown = false

    init(scenario: Scenario, capacity: Int?, dice: Dice) {
        counted = scenario.counted
        self.dice = dice
        self.capacity = capacity ?? .max
        requestsPerSecond = Array(repeating: 0, count: scenario.end + 1)
        bytesPerSecond = requestsPerSecond
        refusedPerSecond = requestsPerSecond
    }

    var requests: Int { documents + notModified + redirects + missing + streams }
    /// The largest numbers of one second.
    var peaks: (requests: Int, bytes: Int, refused: Int) {
        func peak(_ figures: [Int]) -> Int { figures[counted].max() ?? 0 }
        return (peak(requestsPerSecond), peak(bytesPerSecond), peak(refusedPerSecond))
    }

    /// Counts a request.
    ///
    /// - Returns: Whether it is answered.
    mutating func serve(_ request: Request, at time: Int) -> Bool {
        let second = time / 1_000
        let isAnswered = !isDown && requestsPerSecond[second] < capacity
        if isAnswered {
            requestsPerSecond[second] += 1
            bytesPerSecond[second] += request.bytes
        } else {
            refusedPerSecond[second] += 1
        }
        guard counted.contains(second) else { return isAnswered }
        switch isAnswered ? request : .refused {
        case .document: documents += 1
        case .notModified: notModified += 1
        case .redirect: redirects += 1
        case .stream: streams += 1
        case .missing: missing += 1
        case .refused: refused += 1
        }
        if isAnswered { bytes += request.bytes }
        return isAnswered
    }

    mutating func sendEvent(at time: Int) {
        bytesPerSecond[time / 1_000] += Self.eventBytes
        sendEvents(1)
    }

    mutating func sendEvents(_ count: Int) {
        events += count
        bytes += count * Self.eventBytes
    }

    mutating func change(at time: Int, delay: Int) {
        document += 1
        (changed, self.delay) = (time, delay)
    }

    /// Answers a request for the document of a group.
    ///
    /// - Parameter known: The number of the document whose tag the request has.
    mutating func answer(known: Int, at time: Int) -> SimulatedAnswer {
        let document = served(at: time)
        guard serve(document == known ? .notModified : .document, at: time) else { return .failed }
        return document == known ? .notModified : .document(document)
    }

    /// Answers a request for the path of a document's tag.
    mutating func answer(tag: Int, at time: Int) -> SimulatedAnswer {
        let isServed = tag == served(at: time)
        guard serve(isServed ? .document : .missing, at: time) else { return .failed }
        return isServed ? .document(tag) : .missing
    }

    /// The document of the server that a request happens to reach.
    private mutating func served(at time: Int) -> Int {
        time - changed < delay && dice.roll(below: delay) >= time - changed ? document - 1 : document
    }
}

/// The answer to a request for a document.
enum SimulatedAnswer: Equatable {
    case document(Int)
    case notModified
    case missing
    case failed
}
#endif
