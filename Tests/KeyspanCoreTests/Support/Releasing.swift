/// Does something when it is released, as any object may that a closure of a program holds.
final class Releasing: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}
