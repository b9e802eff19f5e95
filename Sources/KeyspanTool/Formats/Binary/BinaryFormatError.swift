/// Bytes that begin like a binary property list and are none: what is wrong, and where.
struct BinaryFormatError: Error, Equatable {
    /// What is wrong, as a clause without a full stop.
    let reason: String
    /// The offset of the byte.
    let offset: Int
}

extension BinaryFormatError: CustomStringConvertible {
    var description: String { "\(reason) (byte \(offset))" }
}
