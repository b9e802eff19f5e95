import Foundation
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite
struct FileStoreConformanceTests {
    /// A file store of one format in one mode.
    struct Kind: Sendable {
        let format: StoreFormat
        let mode: FileStoreOptions

        static let all = StoreFormat.allCases.flatMap { format in
            FileStoreOptions.modes.map { Kind(format: format, mode: $0) }
        }

        /// Opens a store that shares nothing with others of the file but the disk, as another process would.
        func open(_ path: String, _ fileSystem: any FileSystem = POSIXFileSystem()) throws -> any PropertyListStore {
            let seams = FileStoreSeams(fileSystem: fileSystem, openEngines: OpenEngines())
            return try format.open(path: path, options: mode, seams: seams)
        }

        /// Whether a check concerns this kind.
        ///
        /// XML has no control characters and no fractions of a second, so checks with every kind of value are not for XML. The
        /// engine is the same in all modes and formats: at the quick level, the first mode of JSON runs all checks, the other
        /// modes those of durability and of shared files, and the first mode of the other formats those of durability and of every kind of value.
        func isConcerned(by check: StoreConformance) -> Bool {
            let isOfValues = check.name.contains("every kind") || check.name.contains("every value")
            if format == .xml, isOfValues { return false }
            if TestLevel.current > .quick || format == .json && mode == FileStoreOptions() { return true }
            if format == .json { return check.promise == 5 || check.name.contains("place") }
            return mode == FileStoreOptions() && (check.promise == 5 || isOfValues)
        }
    }

    /// One check of one kind.
    struct Case: Sendable, CustomTestStringConvertible {
        let check: StoreConformance
        let kind: Kind

        var testDescription: String {
            "\(kind.format.rawValue), \(kind.mode.testDescription), \(check.testDescription)"
        }

        static let all = Kind.all.flatMap { kind in
            (StoreConformance.all + StoreConformance.depth).filter(kind.isConcerned).map { Case(check: $0, kind: kind) }
        }
    }

    @Test(arguments: Case.all)
    func `a file store keeps the promises of a store`(_ instance: Case) async throws {
        let folder = try TemporaryFolder()
        let kind = instance.kind
        try await instance.check.verify(
            scale: .ofLevel,
            makeStore: { try kind.open(folder.path("\(UUID().uuidString).settings")) },
            reopen: { try kind.open($0) },
            medium: {
                let (path, fileSystem) = (folder.path("\(UUID().uuidString).settings"), FaultyFileSystem())
                return .init(setFailing: { fileSystem.inject($0 ? .crash(call: 1) : .none) }) {
                    try kind.open(path, fileSystem)
                }
            },
            patience: .seconds(60)
        )
    }
}
