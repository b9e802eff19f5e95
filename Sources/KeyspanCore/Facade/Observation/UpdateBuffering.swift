extension Defaults {
    /// The elements of a stream that wait for a reader which is slower than the writers.
    ///
    /// With either, the last element that a reader receives has the values that the store has then.
    public enum UpdateBuffering: Sendable {
        /// All elements, in order. The memory of the stream grows for as long as the reader is behind.
        case every
        /// Only the newest element. A reader that is behind receives it next, and none of those before it.
        case latest

        /// The policy of a stream.
        func policy<Element>(for _: Element.Type = Element.self) -> AsyncStream<Element>.Continuation.BufferingPolicy {
            switch self {
            case .every: .unbounded
            case .latest: .bufferingNewest(1)
            }
        }
    }
}
