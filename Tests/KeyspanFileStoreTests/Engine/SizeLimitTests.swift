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

    @Test func `a batch that fails leaves no room for others`() throws {
        let process = try open()
        try process.save(["a": text(600)])
        for _ in 0..<3 {
            fileSystem.inject(.failure(call: 1, errno: EIO))
            #expect(throws: StoreError.self) { try process.store.apply(.replacing(text(600), by: text(600), key: "a")) }
            fileSystem.inject(.none)
        }
        #expect(write(600, to: "b", in: process) == .tooLarge)
        #expect(throws: Never.self) { try process.store.synchronize() }
    }

    @Test func `removals make room where two processes have written too much together`() throws {
        let (process, other) = (try open(), try open())
        for number in 1...3 {
            try process.set(["own \(number)": text(280)])
            try other.set(["other \(number)": text(280)])
        }
        try other.store.synchronize()
        process.look()
        #expect(throws: StoreError.self) { try process.store.synchronize() }
        for key in ["own 1", "other 1", "own 2"] { try process.set([key: nil]) }
        #expect(write(1, to: "own 3", in: process) == nil)
        try process.store.synchronize()
        #expect(try open().store.snapshot() == process.store.snapshot())
    }

    /// The estimate is far above the size of the file, so that both threads measure.
    @Test func `two threads have the room of one`() throws {
        for round in 0..<20 {
            let process = try ProcessDouble(path: folder.path("\(round)"), options: options, fileSystem: fileSystem)
            for _ in 0..<3 { try process.set(["a": text(300)]) }
            let codes = Recorder<StoreError.Code?>()
            let threads = (0..<2).map { number in TestThread { codes(write(400, to: "\(number)", in: process)) } }
            for thread in threads { thread.join() }
            #expect(codes.values.count { $0 == nil } == 1)
            #expect(throws: Never.self) { try process.store.synchronize() }
        }
    }
}
