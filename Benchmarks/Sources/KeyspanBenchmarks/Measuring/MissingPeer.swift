/// A program or a library beside which a benchmark measures, and which this machine does not have.
struct MissingPeer: Error, CustomStringConvertible {
    /// A sentence that names the peer and its package.
    let description: String

    /// Makes an error from a sentence without a point.
    init(_ description: String) {
        self.description = description
    }
}
