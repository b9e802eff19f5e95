#if Remote
/// A shared cache of HTTP with several locations, each of which keeps its own answers and sends requests for one of them only once.
struct SimulatedCache {
    /// The answer to the path of a group.
    private struct Entry {
        var document = 0
        /// The time at which the origin confirmed the document.
        var confirmed: Int
        /// The document of the path with a tag, if the location has it.
        var tagged: Int?
    }

    /// `max-age` and `stale-while-revalidate`, in milliseconds.
    private static let (maximumAge, revalidation) = (60_000, 60_000)

    private var entries: [Entry]
    private let groups: Int

    /// Makes a cache whose entries were confirmed at random times within the last minute.
    init(locations: Int, groups: Int, dice: inout Dice) {
        self.groups = groups
        entries = (0..<locations * groups).map { _ in Entry(confirmed: -dice.roll(below: Self.maximumAge)) }
    }

    /// Answers a request for the path of a group.
    ///
    /// - Parameter isReload: Whether the request says `no-cache`.
    mutating func answer(
        location: Int,
        group: Int,
        known: Int,
        isReload: Bool,
        at time: Int,
        origin: inout SimulatedOrigin
    ) -> SimulatedAnswer {
        let index = location * groups + group
        let age = time - entries[index].confirmed
        let stale = answer(from: entries[index].document, known: known)
        if !isReload, age < Self.maximumAge { return stale }
        switch origin.answer(known: entries[index].document, at: time) {
        case .document(let document): entries[index].document = document
        case .notModified: break
        // `stale-if-error` covers all outages that are simulated.
        case .missing, .failed: return stale
        }
        entries[index].confirmed = time
        let isRevalidated = !isReload && age < Self.maximumAge + Self.revalidation
        return isRevalidated ? stale : answer(from: entries[index].document, known: known)
    }

    /// Answers a request for the path of a document's tag.
    mutating func answer(
        location: Int,
        group: Int,
        tag: Int,
        at time: Int,
        origin: inout SimulatedOrigin
    ) -> SimulatedAnswer {
        let index = location * groups + group
        if entries[index].tagged == tag { return .document(tag) }
        let answer = origin.answer(tag: tag, at: time)
        if answer == .document(tag) { entries[index].tagged = tag }
        return answer
    }

    private func answer(from document: Int, known: Int) -> SimulatedAnswer {
        document == known ? .notModified : .document(document)
    }
}
#endif
