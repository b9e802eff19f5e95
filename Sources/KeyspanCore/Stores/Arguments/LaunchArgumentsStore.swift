/// The settings in a program's launch arguments as a store: the highest layer of a ``LayeredStore``.
///
/// ``LaunchArguments`` has the forms that arguments can have. Text is converted by ``CoercionTable`` for keys of other types:
/// `-port 8080` and `--port=8080` are 8080 for a key of an `Int`. The values never change, and writes are refused. Safe to
/// use from any thread, without a lock.
public final class LaunchArgumentsStore: ProvenanceReporting {
    public let name: String

    private let contents: ConstantTable
    private let arguments: TextDictionary<[String]>

    /// Makes a store of arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, those of the process if not given.
    ///   - name: What the store is called in errors and diagnostics.
    public init(
        _ arguments: LaunchArguments = LaunchArguments(CommandLine.arguments),
        name: String = "arguments"
    ) {
        self.name = name
        contents = ConstantTable(arguments.values.markedAsText)
        self.arguments = arguments.names
    }

    public var revision: StoreRevision? { contents.revision }

    public func storedValue(forKey key: String) -> StoredValue? { contents.table[stored: key] }

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

    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        contents.provenance(forKeys: keys, store: name) { arguments[$0]?.joined(separator: ", ") }
    }
}
