/// A handler that the compiler has not found to be `Sendable`.
// Unchecked because code written for Defaults passes handlers that capture variables and objects of any kind. What is
// promised for them: calls of one handler never overlap, and each sees what the ones before it did. What is not: that they
// come from the thread that registered it. The documentation of `observe` says so, and leaves it to the caller to write
// only from threads that the handler bears.
struct UncheckedHandler<Argument>: @unchecked Sendable {
    private let handler: (Argument) -> Void

    init(_ handler: @escaping (Argument) -> Void) {
        self.handler = handler
    }

    func callAsFunction(_ argument: Argument) {
        handler(argument)
    }
}
