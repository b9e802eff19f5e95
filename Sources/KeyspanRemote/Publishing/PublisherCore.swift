#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The groups of a publisher: reads the stores when they change, numbers what has changed for clients, and tells those
/// on a stream.
///
/// Stores and the host's closures are called without the lock. One thread at a time reads the stores; another one that
/// finds a change meanwhile leaves it to that one.
final class PublisherCore: Sendable {
    let signer: DocumentSigner
    let keys: PublishedKeys
    let groups: [PublishedGroup]
    /// The places of the groups by their names.
    private let places: TextDictionary<Int>
    let options: SettingsPublisherOptions
    private let assign: @Sendable (ClientTraits) -> String
    let state = Locked(PublisherState())

    /// The most times that a thread reads the stores anew because of other threads.
    private static let maximumRounds = 8
    /// How far a revision may be ahead of the clock, in milliseconds: clients refuse documents that were issued more than a
    /// day in the future, and these have been issued for up to a quarter of their validity.
    private var largestLead: Int64 { Int64((86_400 + options.validity.seconds / 4) * 1_000) }

    init(
        _ signer: DocumentSigner,
        _ keys: PublishedKeys,
        _ groups: [PublishedGroup],
        _ options: SettingsPublisherOptions,
        assign: @escaping @Sendable (ClientTraits) -> String
    ) {
        (self.signer, self.keys, self.groups, self.options, self.assign) = (signer, keys, groups, options, assign)
        places = TextDictionary(groups.enumerated().map { (key: $1.name, value: $0) })
    }

    /// Reads the stores, and begins to follow them.
    func start() {
        var stores: [ObjectIdentifier: any PropertyListStore] = [:]
        for store in groups.flatMap(\.stores) { stores[ObjectIdentifier(store)] = store }
        // Registered before the values are read: a change after that is found by the observer.
        let observations = stores.values.map { store in
            store.observe(.named(keys.entries), initial: false) { [weak self] _ in self?.readStores() }
        }
        state.withLock { $0.observations = observations }
        readStores()
    }

    /// Ends all streams, and follows the stores no longer.
    func close() {
        let ended = state.withLock { $0.close() }
        ended.heartbeat?.cancel()
        for stream in ended.streams { stream.events.finish() }
    }

    /// The place of a group.
    func place(ofGroup name: String) -> Int? { places[name] }

    /// The name of the group of clients with some traits; `nil` if the publisher is closed.
    func group(of traits: ClientTraits) -> String? {
        if state.withLock(\.isClosed) { return nil }
        let name = assign(traits)
        if places[name] != nil { return name }
        let reason =
            "clients were assigned to the group \(name.quoted), which there is not, and receive that of all clients"
        reportSeldom(.unknownGroup, reason, "name the group when the publisher is made, or correct the closure")
        return SettingsPublisher.baseGroup
    }
}

// MARK: - Reading

extension PublisherCore {
    /// Reads the stores, and tells the streams if something has changed; called without a lock.
    func readStores() {
        guard state.withLock({ $0.beginReading() }) else { return }
        for _ in 0..<Self.maximumRounds {
            guard state.withLock({ $0.takeReading() }) else { return }
            readOnce()
        }
        // If other threads never stop writing, this one must still return from its own write.
        Task {
            while state.withLock({ $0.takeReading() }) {
                readOnce()
                await Task.yield()
            }
        }
    }

    private func readOnce() {
        let before = state.withLock(\.contents)
        // The other members of a document take less than this.
        let limit = options.maximumSize - 1_024
        let (proposed, contents) = withRevision {
            groups.indices.map { groups[$0].read(keys, after: before.isEmpty ? nil : before[$0], atMost: limit) }
        }
        let isNumber = SettingsDocument.revisions.contains(proposed)
        state.withLock { $0.isNumberMissing = !isNumber }
        guard isNumber else {
            let reason =
                "the number \(proposed) of the state is not one from 0 to 2^53 - 1, so clients keep the values before"
            return reportSeldom(.revisionRefused, reason, "return the number that the source has for its state")
        }
        let (isChange, last, present) = state.withLock { state in
            let last = state.revision
            let isChange = state.take(contents) { revision(after: $0, proposed, isChange: $1) }
            return (isChange, last, state.revision)
        }
        reportProblems(of: contents, after: before)
        if let last, let present, present < last || isChange && present == last {
            let reason =
                "the revision is \(present) after \(last), so clients refuse what is new, or take it for the older one"
            report(.revisionNotRaised, reason, "raise the number with each change, or sign with a new key")
        }
        if isChange { sendEvents() }
    }

    /// Reports the problems that no group had before.
    private func reportProblems(of contents: [PublishedContents], after before: [PublishedContents]) {
        var known = Set(before.flatMap(\.problems))
        for problem in contents.flatMap(\.problems) where known.insert(problem).inserted {
            let reason = "clients do not receive the value, because \(problem.reason)"
            report(.valueNotPublished, key: problem.key.wrappedValue, reason, "correct the value")
        }
        if contents.contains(where: \.isTooLarge), !before.contains(where: \.isTooLarge) {
            let reason =
                "the values of a group have more than \(options.maximumSize) bytes, so its clients keep those before"
            report(.documentTooLarge, reason, "publish less, or raise the limit here and in the clients")
        }
    }

    /// The number of a state.
    ///
    /// The numbers of the host are never counted up: several servers would count differently. Without them a change that
    /// comes within the millisecond of the last one, or after the clock was set back a little, has the next number.
    private func revision(after last: Int64?, _ proposed: Int64, isChange: Bool) -> Int64 {
        guard case .milliseconds = options.revisions, let last else { return proposed }
        let next = isChange ? max(proposed, last + 1) : last
        return next - proposed > largestLead ? proposed : next
    }

    /// Reads stores together with the number that the host has for their present state.
    ///
    /// If the number changes while the stores are read, they are read again, so that a number never has the values of
    /// the one before.
    private func withRevision<Result>(_ read: () -> Result) -> (proposed: Int64, result: Result) {
        guard case .numbered(let number) = options.revisions else { return (milliseconds, read()) }
        var proposed = number()
        for _ in 0..<Self.maximumRounds {
            let result = read()
            let later = number()
            if later == proposed { return (proposed, result) }
            proposed = later
        }
        // A source that never rests: values that are later than their number are corrected by the next reading.
        return (proposed, read())
    }

    private func report(
        _ kind: SettingsPublisherNotice.Kind,
        key: String? = nil,
        _ reason: String,
        _ remedy: String
    ) {
        let publisher = signer.name
        let notice = SettingsPublisherNotice(kind: kind, publisher: publisher, key: key, reason: reason, remedy: remedy)
        Defaults.Problem.storeNotice(name: "publisher \(publisher)", notice: notice).report()
    }

    /// Reports something that anyone can cause again and again: one notice of each kind within an hour.
    func reportSeldom(_ kind: SettingsPublisherNotice.Kind, _ reason: String, _ remedy: String) {
        let now = signer.now().timeIntervalSince1970
        if state.withLock({ $0.beginReport(kind, at: now) }) { report(kind, reason, remedy) }
    }
}

// MARK: - Documents

extension PublisherCore {
    /// Contents of a group with their revision.
    struct Present: Sendable {
        let place: Int
        let contents: PublishedContents
        let state: SettingsState
        let revision: Int64
    }

    /// Whether the stores need a new number: the last one was refused and the host has one now, or the clock was far ahead
    /// and was set back.
    private var needsNumber: Bool {
        let (revision, isMissing) = state.withLock { ($0.isClosed ? nil : $0.revision, $0.isNumberMissing) }
        switch options.revisions {
        case .numbered(let number): return isMissing && SettingsDocument.revisions.contains(number())
        case .milliseconds: return revision.map { $0 - milliseconds > largestLead } ?? false
        }
    }

    private var milliseconds: Int64 {
        let milliseconds = signer.now().timeIntervalSince1970 * 1_000
        return Int64(min(max(milliseconds, 0), Double(SettingsDocument.revisions.upperBound)))
    }

    /// The present contents of a group; `nil` if there are none, or the publisher is closed.
    func present(_ place: Int) -> Present? {
        if needsNumber { readStores() }
        return state.withLock { state in
            guard !state.isClosed, let revision = state.revision, let digest = state.contents[place].state else {
                return nil
            }
            return Present(place: place, contents: state.contents[place], state: digest, revision: revision)
        }
    }

    /// The tag that a document of contents has now.
    func tag(of present: Present) -> DocumentTag { signer.tag(of: present.state, at: present.revision) }

    /// A document of contents, signed now or before.
    ///
    /// It is given away even if there is a later one by now: it was the present one when it was asked for.
    func document(of present: Present) -> PublishedDocument {
        let (contents, group) = (present.contents, groups[present.place].name)
        return contents.document(tag(of: present)) {
            signer.sign(contents.published.values, present.state, for: group, at: present.revision)
        }
    }
}
#endif
