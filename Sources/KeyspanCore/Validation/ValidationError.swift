extension Defaults {
    /// Everything that is wrong with the values of some keys; thrown by ``validate(_:)``.
    public struct ValidationError: Error, Sendable, Hashable {
        /// What is wrong, in the order of the keys; never empty.
        public let problems: [InvalidValue]

        package init(problems: [InvalidValue]) {
            self.problems = problems
        }
    }
}

extension Defaults.ValidationError: CustomStringConvertible {
    /// A line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
