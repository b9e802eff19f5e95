import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite("A file store")
struct FileStoreConformanceTests {
    /// A file store of one format in one mode.
    struct Kind: Sendable, CustomTestStringConvertible {
        let format: StoreFormat
        let mode: FileStoreOptions

        var testDescription: String { "\(format.rawValue), \(mode.testDescription)" }

        /// JSON in every mode, and the others in the first ones.
        ///
        /// The formats have the engine in common.
        static let all =
            FileStoreOptions.modes.map { Kind(format: .json, mode: $0) }
            + [StoreFormat.xml, .binary].flatMap { format in
                FileStoreOptions.modes.prefix(TestExtent.isThorough ? .max : 4).map { Kind(format: format, mode: $0) }
            }

        func open(_ path: String) throws -> any PropertyListStore {
            switch format {
            case .json: try JSONFileStore(path: path, options: mode)
            case .xml: try PropertyListFileStore(path: path, format: .xml, options: mode)
            case .binary: try PropertyListFileStore(path: path, format: .binary, options: mode)
            }
        }
    }

    @Test(arguments: StoreConformance.all, Kind.all.filter { $0.format != .xml })
    func `keeps the promises of a store`(check: StoreConformance, kind: Kind) async throws {
        try await verify(check, kind)
    }

    /// The checks with every kind of value are not for XML, which has no control characters and no fractions of a second.
    @Test(
        arguments: StoreConformance.all.filter { !$0.name.contains("every kind") && !$0.name.contains("every value") },
        Kind.all.filter { $0.format == .xml }
    )
    func `keeps the promises of a store for all that XML holds`(check: StoreConformance, kind: Kind) async throws {
        try await verify(check, kind)
    }

    @Test(
        arguments: StoreConformance.depth,
        Kind.all.filter { $0.mode == FileStoreOptions() || TestExtent.isThorough }
    )
    func `keeps and moves values of any nesting`(check: StoreConformance, kind: Kind) async throws {
        try await verify(check, kind)
    }

    private func verify(_ check: StoreConformance, _ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        try await check.verify(
            makeStore: { try kind.open(folder.path("\(UInt64.random(in: 0 ... .max)).settings")) },
            reopen: { try kind.open($0) }
        )
    }
}
