#if Console
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

extension SettingsConsole {
    /// The events of one page: text of the type `text/event-stream` (WHATWG HTML, section 9.2), in pieces that end with a line.
    ///
    /// A page that reads slowly receives the present state of the keys that have changed meanwhile, so that nothing is collected for it.
    /// The stream ends after ``Options/streamDuration``, and when its task is canceled.
    public struct EventStream: AsyncSequence, Sendable {
        public typealias Element = [UInt8]
        public typealias Failure = Never

        private let view: SettingsView
        private let last: SettingsVersion?
        private let token: String?
        private let place: StreamCount.Place

        /// Makes the stream of a person.
        ///
        /// - Parameters:
        ///   - view: The person's view.
        ///   - last: The state that the page has.
        ///   - token: The token of the person for changes.
        ///   - place: The place of the stream among all.
        init(of view: SettingsView, after last: SettingsVersion?, token: String?, holding place: StreamCount.Place) {
            self.view = view
            self.last = last
            self.token = token
            self.place = place
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(view: view, last: last, token: token, place: place)
        }

        /// The iterator of a stream, which follows the settings until it is released.
        public struct Iterator: AsyncIteratorProtocol {
            private let view: SettingsView
            private let place: StreamCount.Place
            private let end: ContinuousClock.Instant
            private let heart: Heart
            private var signals: AsyncStream<StreamSignal>.Iterator
            /// The state that the page has; `nil` if it is of another run.
            private var last: SettingsVersion?
            private var token: String?
            /// The earliest time to look for the next event: a store that never rests costs a bounded number of them.
            private var earliest: ContinuousClock.Instant?
            /// When something was sent last.
            private var lastChunk = ContinuousClock.now

            /// The shortest time between two events.
            private static let pause = Duration.milliseconds(100)

            fileprivate init(view: SettingsView, last: SettingsVersion?, token: String?, place: StreamCount.Place) {
                self.view = view
                self.place = place
                self.token = token
                self.last = last.flatMap { $0.run == view.journal.run ? $0 : nil }
                let (signals, wake) = view.journal.signals()
                self.signals = signals.makeAsyncIterator()
                end = .now + view.options.streamDuration
                heart = Heart(every: Swift.min(view.options.heartbeat, view.options.streamDuration), wake)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
                guard earliest != nil else {
                    earliest = .now + Self.pause
                    // Pages do not all come back at the same time after a restart.
                    return Array("retry: \(Int.random(in: 1000...3000))\n\n".utf8) + (event() ?? [])
                }
                defer { lastChunk = .now }
                while let signal = await signals.next(isolation: actor) {
                    if Task.isCancelled || ContinuousClock.now >= end { return nil }
                    if let earliest, earliest > .now { try? await Task.sleep(until: earliest, clock: .continuous) }
                    // Also after changes that the person may not see, since finding that out costs the most.
                    defer { earliest = .now + Self.pause }
                    if let event = event() { return event }
                    // Nothing is sent for a change that the person may not see.
                    let isPulseDue = signal == .pulse || ContinuousClock.now - lastChunk >= view.options.heartbeat
                    if isPulseDue { return Array(":\n\n".utf8) }
                }
                return nil
            }

            /// The event with everything that the page does not have; `nil` if there is nothing that the person may see.
            private mutating func event() -> [UInt8]? {
                let view = view.renewed
                let present = view.snapshot.version
                guard last != present || token != nil else { return nil }
                let known = last?.number
                last = present
                let keys = view.keys.filter { key in
                    known.map { view.snapshot.version(of: key).number > $0 } ?? true
                }
                let history = HistoryList(of: view.changes(after: known ?? 0)).items
                if keys.isEmpty, history.isEmpty, known != nil, token == nil { return nil }
                var members = SettingsUpdate(of: keys, in: view).members
                members["history"] = .array(history.map { .string($0.text) })
                // The page has the history of another run.
                members["isWhole"] = .boolean(known == nil)
                if let token = token.take() { members["token"] = .string(token) }
                let data = JSONText.encodeOnOneLine(.dictionary(members))
                return Array("id: \(present)\nevent: settings\ndata: ".utf8) + data + Array("\n\n".utf8)
            }
        }
    }
}

/// Wakes a stream at an interval, and ends it when the iteration is over.
private final class Heart: Sendable {
    private let stream: AsyncStream<StreamSignal>.Continuation
    private let task: Task<Void, Never>

    init(every interval: Duration, _ stream: AsyncStream<StreamSignal>.Continuation) {
        self.stream = stream
        task = Task {
            while (try? await Task.sleep(for: interval)) != nil { stream.yield(.pulse) }
        }
    }

    deinit {
        task.cancel()
        stream.finish()
    }
}
#endif
