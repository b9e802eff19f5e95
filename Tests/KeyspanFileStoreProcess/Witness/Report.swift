/// The beginnings of the lines that a process writes, before what they say.
package enum Report {
    /// What must not be.
    package static let fault = "fault: "
    /// How many states were looked at.
    package static let looks = "looks: "
    /// The values when the store was opened.
    package static let found = "found: "
    /// The next write.
    package static let attempted = "attempted: "
    /// A durable write.
    package static let acknowledged = "acknowledged: "
    /// The work is done, or begins to be felt by others.
    package static let ready = "ready"
    /// What must be bounded.
    package static let usage = "usage: "
    /// A number, and when it was durable or came in.
    package static let instant = "instant: "
    /// How many edits are no longer in the file although nobody else edits.
    package static let overwritten = "overwritten: "
}
