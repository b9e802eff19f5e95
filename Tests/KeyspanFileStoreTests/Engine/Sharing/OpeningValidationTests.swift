@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A store that opens examines the contents of its file while others write.
@Suite struct OpeningValidationTests {
    /// What refuses a version.
    enum Check: CaseIterable {
        case validator, heldBackValues, refusedValues, strictNames
    }

    private struct Refusal: Error {}
    private let folder = TemporaryFolder.forTest

    @Test(arguments: Check.allCases, [false, true])
    func `contents that come while a store opens are examined as well`(check: Check, isFurther: Bool) throws {
        try folder.write(["a": 1])
        let (engines, queue, watcher) = (OpenEngines(), ManualWorkQueue(), ManualFileWatcher())
        let seams = FileStoreSeams.manual(queue: queue, watcher: watcher, engines: engines)
        let options = FileStoreOptions(
            unusableValues: check == .heldBackValues
                ? .areHeldBack : check == .refusedValues ? .areRefused : .areAdmitted
        )
        let first = isFurther ? try JSONFileStore(path: folder.path("file.json"), options: options, seams: seams) : nil
        let isOpening = Locked(true)
        let store = try JSONFileStore(
            path: folder.path("file.json"),
            keys: [Defaults.Key<Int>("a", default: 0).validated(by: .range(0...10))],
            unknownNames: check == .strictNames ? .strict : .areIgnored,
            options: options,
            validate: { [folder] table in
                let isFirst = isOpening.withLock { isOpening in
                    defer { isOpening = false }
                    return isOpening
                }
                if check == .validator, table["a"] == 11 { throw Refusal() }
                guard isFirst else { return }
                try folder.edit(check == .strictNames ? ["a": 2, "b": 1] : ["a": 11])
                TestThread {
                    watcher.tell()
                    queue.fire()
                }.join()
            },
            seams: seams
        )
        #expect(store.snapshot() == ["a": 1])
        try folder.edit(["a": 3])
        watcher.tell()
        queue.fire()
        #expect(store.snapshot() == ["a": 3])
        withExtendedLifetime(first) {}
    }

    /// The version was refused for a store that did not come to be.
    @Test func `what a store refuses that cannot be opened takes effect for the others`() throws {
        try folder.write(["a": 1])
        let (engines, queue, watcher) = (OpenEngines(), ManualWorkQueue(), ManualFileWatcher())
        let seams = FileStoreSeams.manual(queue: queue, watcher: watcher, engines: engines)
        let store = try JSONFileStore(path: folder.path("file.json"), seams: seams)
        #expect(throws: FileStoreError.self) {
            try JSONFileStore(
                path: folder.path("file.json"),
                validate: { [folder] _ in
                    if try folder.table() == ["a": 1] {
                        try folder.edit(["a": 2])
                        TestThread {
                            watcher.tell()
                            queue.fire()
                        }.join()
                    }
                    throw Refusal()
                },
                seams: seams
            )
        }
        queue.fire()
        #expect(store.snapshot() == ["a": 2])
    }
}
