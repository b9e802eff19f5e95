/// Where a key's default comes from.
@usableFromInline
enum DefaultSource<Value> {
    /// The same value each time.
    case constant(Value)
    /// Made anew each time.
    case dynamic(@Sendable () -> Value)

    @inlinable var value: Value {
        switch self {
        case .constant(let value): value
        case .dynamic(let make): make()
        }
    }
}
