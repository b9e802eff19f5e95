extension JSONFileStore {
    /// How a store behaves.
    public struct Options: Sendable, Hashable {
        /// How long a change may wait until it is saved in the background: 100 milliseconds unless set.
        ///
        /// Counted from the first change that is not saved, so a stream of changes cannot postpone the save. A longer
        /// delay writes less often; a shorter one loses less when the process is killed. The disk is never waited for
        /// by `PropertyListStore.apply(_:)`, whatever the delay. A negative delay counts as zero.
        public var saveDelay: Duration

        /// Makes options.
        public init(saveDelay: Duration = .milliseconds(100)) {
            self.saveDelay = saveDelay
        }
    }
}
