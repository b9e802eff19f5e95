/// The settings in a program's launch arguments as a store: the highest layer of a ``LayeredStore``.
///
/// Its values are text, which keys of other types convert by ``CoercionTable``: `-port 8080` is 8080 for a key of an `Int`.
/// They never change, and writes are refused. Safe to use from any thread, without a lock.
public final class LaunchArgumentsStore: PropertyListStore {
    public let name: String

    private let contents: ConstantTable

    /// Makes a store of arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, those of the process if not given.
    ///   - name: What the store is called in errors and diagnostics.
    public init(
        _ arguments: LaunchArguments = LaunchArguments(CommandLine.arguments),
        name: String = "launch arguments"
    ) {
        self.name = name
        contents = ConstantTable(arguments.values)
    }

    public var revision: StoreRevision? { contents.revision }

    public func value(forKey key: String) -> PropertyListValue? { contents.table[key] }

    public func holdsText(forKey key: String) -> Bool { contents.table[key] != nil }

    public func snapshot() -> PropertyListTable { contents.table }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        throw .readOnly(batch, store: name, remedy: "write to another layer")
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    public func synchronize() {}
}
