#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing
import KeyspanTestSupport

/// The handler that `Defaults.onProblem(_:)` installs, in processes of their own: a process has only one.
@Suite
struct ProblemHandlerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The problems that reach a handler.
    private final class Received: Sendable {
        private let problems = Locked<[Defaults.Problem]>([])

        var all: [Defaults.Problem] { problems.withLock(\.self) }

        /// Installs the handler.
        init() {
            Defaults.onProblem { [self] problem in problems.withLock { $0.append(problem) } }
        }
    }

    @Test
    func `the problem handler of a process receives each unreadable and each unwritable value of a typed key once`()
        async throws
    {
        try folder.write(fileBytes("secret"), to: "file.json")
        let path = folder.path("file.json")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let received = Received()
            let defaults = Defaults(try JSONFileStore(path: path))
            let number = Defaults.Key<Int>("key", default: 5)
            for _ in 0..<3 { #expect(defaults[number] == 5) }
            guard case .unreadable(let error)? = received.all.first else {
                Issue.record("the handler received \(received.all)")
                return
            }
            #expect(error.key == "key" && error.store == defaults.store.name)
            #expect(error.found == #"the string "secret""#)

            defaults[Defaults.Key<Int>("key\0", default: 0)] = 1
            #expect(received.all.count == 2)
            guard case .writeFailed? = received.all.last else {
                Issue.record("the handler received \(received.all)")
                return
            }

            // The second handler replaces the first one.
            let later = Received()
            defaults[Defaults.Key<Int>("key\0", default: 0)] = 1
            #expect(later.all.count == 1)
            #expect(received.all.count == 2)
        }
    }

    @Test func `the problem handler of a process receives the recovery of a damaged file`() async throws {
        try folder.write(Array("{\"key\": \"val".utf8), to: "file.json")
        let path = folder.path("file.json")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let received = Received()
            let store = try JSONFileStore(path: path, options: FileStoreOptions(recovery: .lastGoodCopy))
            guard case .storeNotice(path, let cause)? = received.all.first else {
                Issue.record("the handler received \(received.all)")
                return
            }
            #expect("\(cause)".contains(".damaged-"))
            #expect(received.all.count == 1)
            #expect(store.snapshot().isEmpty)
        }
        #expect(try folder.names.contains { $0.contains(".damaged-") })
    }

    @Test
    func `the problem handler of a process receives a failed save in the background, and the store saves when it can`()
        async throws
    {
        let path = folder.path("file.json")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let received = Received()
            let options = FileStoreOptions(saveDelay: .milliseconds(1), journal: .none)
            let store = try JSONFileStore(path: path, options: options)
            signal(SIGXFSZ, SIG_IGN)
            limitFileSizes()
            try store.set(String(repeating: "x", count: 100_000))
            try await eventually("the handler receives the failed save", received.all, within: .seconds(120)) {
                !$0.isEmpty
            }
            guard case .storeUnavailable(path, let cause as FileStoreError)? = received.all.first else {
                Issue.record("the handler received \(received.all)")
                return
            }
            #expect(cause.errorNumber == EFBIG)
            try store.set("small")
            try await store.synchronize()
        }
        #expect(try JSONFileStore(path: path).value(forKey: "key") == "small")
    }
}

/// Limits the size of the files that this process writes.
func limitFileSizes() {
    var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
    setrlimit(RLIMIT_FSIZE, &limit)
    #endif
}
#endif
