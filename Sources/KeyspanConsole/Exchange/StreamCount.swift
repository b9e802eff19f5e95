#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The number of event streams that are open.
final class StreamCount: Sendable {
    private let count = Locked(0)

    /// A place among the streams, which ends with its last reference.
    final class Place: Sendable {
        private let count: StreamCount

        fileprivate init(in count: StreamCount) { self.count = count }

        deinit { count.count.withLock { $0 -= 1 } }
    }

    /// Takes a place; `nil` if there are too many.
    func take(upTo limit: Int) -> Place? {
        let isFree = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        return isFree ? Place(in: self) : nil
    }
}
#endif
