extension Defaults {
    /// The steps that bring the values of a store from one version of their shape to the next.
    public struct Migration: Sendable {
        /// The version that the values have when the steps are done.
        public let version: Int

        let steps: [Step]

        /// Makes a migration.
        ///
        /// - Parameters:
        ///   - version: The version that the values have afterwards; 1 or more.
        ///   - steps: What is done, in this order.
        public init(to version: Int, _ steps: Step...) {
            self.version = version
            self.steps = steps
        }
    }
}
