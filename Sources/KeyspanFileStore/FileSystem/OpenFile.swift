/// An open file: its descriptor, and the path it was opened by, for errors.
package struct OpenFile: Sendable, Hashable {
    /// The descriptor.
    package let descriptor: Int32
    /// The path it was opened by.
    package let path: String

    /// Makes an open file of a descriptor.
    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}
