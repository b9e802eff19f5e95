/// A program or a library beside which a benchmark measures, and which this machine does not have.
struct MissingPeer: Error, CustomStringConvertible {
    /// What is missing, and how it can be had.
    let description: String

    /// Makes an error from a sentence without a point.
    init(_ description: String) {
        self.description = description
    }
}
