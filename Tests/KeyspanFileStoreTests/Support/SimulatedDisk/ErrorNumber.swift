/// The error of a simulated call: `errno`, to which the file system adds the call and the path.
struct ErrorNumber: Error, Hashable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }
}
