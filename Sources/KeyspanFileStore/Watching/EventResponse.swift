internal import Dispatch
internal import KeyspanCore

/// The response of a client to an event.
package struct EventResponse: Sendable {
    /// Whether the client looks at the file only after ``restDuration``, so that further events may be late by that time.
    package var isResting = false
    /// Looks at the file; `nil` if an earlier response does so.
    ///
    /// The watcher must run it. It may block, so the watcher does so on a thread that serves no other file.
    package var look: (@Sendable () -> Void)?

    /// Makes a response to an event of no interest.
    package init() {}

    /// How long a client rests after it has looked at a file, while further events gather.
    ///
    /// While many processes write one file, each write would wake all the others, and waking them costs more than the write. So
    /// a client looks at a file at once after a quiet time, and at most once in this time while events keep coming. It is short
    /// enough for a change to arrive within 5 milliseconds.
    package static let restDuration = Duration.milliseconds(4)

    /// Looks at the file on a thread of its own.
    func lookElsewhere() {
        guard let look else { return }
        if !isResting { return BlockingThread.run(look) }
        let queue = DispatchQueue(label: "keyspan.watch.look", qos: .utility)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Self.restDuration.wholeNanoseconds)) {
            BlockingThread.run(look)
        }
    }
}
