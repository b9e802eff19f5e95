import Dispatch
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The limit of a file's size, which a write in memory must keep although nothing is measured for most writes.
@Suite struct SizeLimitTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()
    private let options = FileStoreOptions(limits: FileStoreLimits(fileSize: 1000))

    private func open() throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options, fileSystem: fileSystem)
    }

    private func text(_ size: Int) -> PropertyListValue { .string(String(repeating: "x", count: size)) }

    /// The code of the error of a write; `nil` if it is accepted.
    private func write(_ size: Int, to key: String, in process: ProcessDouble) -> StoreError.Code? {
        storeError { () throws(StoreError) in
            try process.store.apply(PropertyListBatch(.set(text(size), key: key)))
        }?.code
    }

    /// The batch is decided in the file, and memory lacks it until then.
    @Test func `a write keeps the limit while a batch of another thread is on its way`() throws {
        let process = try open()
        let codes = Recorder<StoreError.Code?>()
        fileSystem.inject(
            .interlude(before: .pwrite) {
                _ = TestThread { codes(write(600, to: "memory", in: process)) }
                // The other thread may wait for this one, which nothing shows; the pace decides only which goes first.
                for _ in 0..<50 where codes.count == 0 { usleep(1_000) }
            }
        )
        try process.store.apply(.replacing(nil, by: text(600), key: "file"))
        eventually("the other thread is done") { codes.count > 0 }
        #expect(codes.values == [.tooLarge])
        #expect(throws: Never.self) { try process.store.synchronize() }
    }

    @Test func `a write keeps the limit after writes of other processes`() throws {
        let (process, other) = (try open(), try open())
        try other.save(["a": text(600)])
        process.look()
        #expect(process["a"] == text(600))
        #expect(write(600, to: "b", in: process) == .tooLarge)
        #expect(write(200, to: "b", in: process) == nil)
        #expect(throws: Never.self) { try process.store.synchronize() }
    }
}
