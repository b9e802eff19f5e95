#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import Testing
import KeyspanTestSupport

/// Stores in processes of their own, which end in different ways.
@Suite
struct ProcessTests {
    private let folder: TemporaryFolder

    /// Longer than any test takes, so that no save in the background helps.
    private static let never = FileStoreOptions.unhurried

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a process with a store saves what is unsaved when it exits`() async throws {
        let path = folder.path("file.json")
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let store = try JSONFileStore(path: path, options: Self.never)
            try withExtendedLifetime(store) {
                try store.set("new")
                exit(7)
            }
        }
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        #expect(try folder.names == [".file.json.journal", "file.json"])
    }

    @Test func `a process with a store that is killed keeps what was synchronized`() async throws {
        let path = folder.path("file.json")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try JSONFileStore(path: path, options: FileStoreOptions(durability: .onSynchronize))
            try store.set("synchronized")
            try store.synchronize()
            try store.set("lost")
            kill(getpid(), SIGKILL)
            withExtendedLifetime(store) { while true { sleep(1) } }
        }
        let store = try JSONFileStore(path: path)
        #expect(store.value(forKey: "key") == "synchronized")
    }

    @Test(arguments: 1...8)
    func `a process with a store that is killed while it saves leaves a whole file`(round: Int) async throws {
        let path = folder.path("file.json")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
            signal(SIGALRM) { _ in kill(getpid(), SIGKILL) }
            ualarm(UInt32(20_000 + round * 1_700), 0)
            let store = try JSONFileStore(path: path, options: Self.never)
            for number in 1... {
                try store.set(String(repeating: "\(number % 10)", count: 20_000))
                try store.synchronize()
            }
        }
        let store = try JSONFileStore(path: path)
        // The process may have been killed before its first save.
        guard case .string(let text)? = store.value(forKey: "key") else { return #expect(store.snapshot().isEmpty) }
        #expect(text.count == 20_000)
        #expect(Set(text).count == 1)
    }

    @Test func `a process with a store does not depend on its umask`() async throws {
        let paths = [folder.path("new.json"), folder.path("old.json")]
        try folder.write(fileBytes("old"), to: "old.json", permissions: 0o666)
        await #expect(processExitsWith: .success) { [paths = paths as [String]] in
            for mask in [mode_t(0o777), 0o277, 0o022, 0] {
                umask(mask)
                for path in paths {
                    let store = try JSONFileStore(path: path, options: Self.never)
                    try store.set("\(mask)")
                    try store.synchronize()
                }
                let status = try paths.map { try POSIXFileSystem().status(ofItemAt: $0).permissions }
                #expect(status == [0o600, 0o666])
            }
        }
    }

    @Test(arguments: [true, false])
    func `a process with a store goes on beyond the limit of the size of files if it ignores the signal`(
        hasJournal: Bool
    ) async throws {
        let path = folder.path("file.json")
        await #expect(processExitsWith: .success) { [path = path as String, hasJournal = hasJournal as Bool] in
            signal(SIGXFSZ, SIG_IGN)
            limitFileSizes()
            var options = Self.never
            if !hasJournal { options.journal = .none }
            let store = try JSONFileStore(path: path, options: options)
            try store.set("saved")
            try store.synchronize()
            try store.set(String(repeating: "x", count: 100_000))
            let error = #expect(throws: StoreError.self) { try store.synchronize() }
            #expect((error?.underlying as? FileStoreError)?.errorNumber == EFBIG)
            try store.set("small")
            try store.synchronize()
        }
        #expect(try JSONFileStore(path: path).value(forKey: "key") == "small")
        #expect(try folder.names.allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test func `a process with a store that the limit of the size of files ends keeps what was synchronized`()
        async throws
    {
        let path = folder.path("file.json")
        await #expect(processExitsWith: .signal(SIGXFSZ)) { [path = path as String] in
            // The threads of dispatch queues, which run this, block it; those of a program do not.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGXFSZ)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            limitFileSizes()
            let store = try JSONFileStore(path: path, options: Self.never)
            try store.set("synchronized")
            try store.synchronize()
            try store.set(String(repeating: "x", count: 100_000))
            try store.synchronize()
        }
        #expect(try JSONFileStore(path: path).value(forKey: "key") == "synchronized")
    }

    @Test func `a process with a store may change its working folder under a store with a relative path`() async throws
    {
        try folder.makeFolder("sub")
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            #expect(chdir(path) == 0)
            let store = try JSONFileStore(path: "file.json", options: Self.never)
            #expect(chdir("sub") == 0)
            try store.set("new")
            try store.synchronize()
        }
        #expect(try folder.names == [".file.json.journal", "file.json", "sub"])
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
    }
}
#endif
