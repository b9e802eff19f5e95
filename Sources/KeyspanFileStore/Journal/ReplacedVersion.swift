/// A version of the file that was replaced by folding, and when.
package struct ReplacedVersion: Sendable, Hashable {
    /// The version.
    package let version: FileVersion
    /// When it was replaced, in milliseconds since 1970 by the clock of the machine.
    package let time: Int64

    /// Makes one.
    package init(_ version: FileVersion, at time: Int64) {
        self.version = version
        self.time = time
    }

    /// For how many milliseconds a program may have read this version without having written its own yet.
    ///
    /// A person needs longer, but is warned by the editor.
    private static let memory: Int64 = 10_000

    /// Whether someone may still write a version that was made of this one; not if the clock was set back since.
    package func isRecent(at time: Int64) -> Bool {
        (0...Self.memory).contains(time &- self.time)
    }
}
