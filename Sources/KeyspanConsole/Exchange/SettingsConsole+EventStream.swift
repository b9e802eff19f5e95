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
            private var signals: AsyncStream<Void>.Iterator
            /// The state that the page has; `nil` if it is of another run.
            private var last: SettingsVersion?
            private var token: String?
            private var isFirst = true

            fileprivate init(view: SettingsView, last: SettingsVersion?, token: String?, place: StreamCount.Place) {
                self.view = view
                self.place = place
                self.token = token
                self.last = last.flatMap { $0.run == view.journal.run ? $0 : nil }
                let (signals, wake) = view.journal.signals()
                self.signals = signals.makeAsyncIterator()
                heart = Heart(every: view.options.heartbeat, wake)
                end = .now + view.options.streamDuration
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
                if isFirst {
                    isFirst = false
                    return Array("retry: 1000\n\n".utf8) + (event() ?? [])
                }
                guard await signals.next(isolation: actor) != nil, !Task.isCancelled, ContinuousClock.now < end else {
                    return nil
                }
                return event() ?? Array(":\n\n".utf8)
            }

            /// The event with everything that the page does not have; `nil` if it has everything.
            private mutating func event() -> [UInt8]? {
                let view = view.renewed
                let present = view.snapshot.version
                guard last != present || token != nil else { return nil }
                let known = last?.number
                let keys = view.keys.filter { key in
                    known.map { view.snapshot.version(of: key).number > $0 } ?? true
                }
                var members = SettingsUpdate(of: keys, in: view).members
                let history = HistoryList(of: view.changes(after: known ?? 0), in: view).items
                members["history"] = .array(history.map { .string($0.text) })
                // The page has the history of another run.
                members["isWhole"] = .boolean(known == nil)
                if let token = token.take() { members["token"] = .string(token) }
                last = present
                let data = JSONText.encodeOnOneLine(.dictionary(members))
                return Array("id: \(present)\nevent: settings\ndata: ".utf8) + data + Array("\n\n".utf8)
            }
        }
    }
}

/// Wakes a stream at an interval, and ends it when the iteration is over.
private final class Heart: Sendable {
    private let stream: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>

    init(every interval: Duration, _ stream: AsyncStream<Void>.Continuation) {
        self.stream = stream
        task = Task {
            while (try? await Task.sleep(for: interval)) != nil { stream.yield() }
        }
    }

    deinit {
        task.cancel()
        stream.finish()
    }
}
