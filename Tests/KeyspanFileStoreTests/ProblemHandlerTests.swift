#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The handler that `Defaults.onProblem(_:)` installs, in processes of their own: a process has only one.
@Suite
struct ProblemHandlerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Installs a handler, and returns the problems that reach it.
    private static func install() -> Recorder<Defaults.Problem> {
        let problems = Recorder<Defaults.Problem>()
        Defaults.onProblem { problems.record($0) }
        return problems
    }

    @Test
    func `the problem handler of a process receives each unusable value of a typed key once, and a recovery`()
        async throws
    {
        try folder.write(fileBytes("secret"), to: "file.json")
        try folder.write(Array("{\"key\": \"val".utf8), to: "file.json.damaged")
        let path = folder.path("file.json")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let received = Self.install()
            let defaults = Defaults(try JSONFileStore(path: path))
            let number = Defaults.Key<Int>("key", default: 5)
            for _ in 0..<3 { #expect(defaults[number] == 5) }
            guard case .unreadable(let error)? = received.values.first else {
                Issue.record("the handler received \(received.values)")
                return
            }
            #expect(error.key == "key" && error.store == defaults.store.name)
            #expect(error.found == #"the string "secret""#)

            defaults[Defaults.Key<Int>("key\0", default: 0)] = 1
            #expect(received.values.count == 2)
            guard case .writeFailed? = received.values.last else {
                Issue.record("the handler received \(received.values)")
                return
            }

            // The second handler replaces the first one.
            let later = Self.install()
            defaults[Defaults.Key<Int>("key\0", default: 0)] = 1
            #expect(later.values.count == 1)
            #expect(received.values.count == 2)

            let recovering = FileStoreOptions(recovery: .lastGoodCopy)
            let damaged = try JSONFileStore(path: path + ".damaged", options: recovering)
            guard case .storeNotice(damaged.name, let cause)? = later.last else {
                Issue.record("the handler received \(later.values)")
                return
            }
            #expect("\(cause)".contains(".damaged-") && later.count == 2 && damaged.snapshot().isEmpty)
        }
        #expect(try folder.names.contains { $0.contains(".damaged-") })
    }

    @Test
    func `the problem handler of a process receives a failed save in the background, and the store saves when it can`()
        async throws
    {
        let path = folder.path("file.json")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let received = Self.install()
            let options = FileStoreOptions(saveDelay: .milliseconds(1), journal: .none)
            let store = try JSONFileStore(path: path, options: options)
            signal(SIGXFSZ, SIG_IGN)
            limitFileSizes()
            try store.set(String(repeating: "x", count: 100_000))
            try await eventually("the handler receives the failed save", received.values, within: .seconds(120)) {
                !$0.isEmpty
            }
            guard case .storeUnavailable(path, let cause as FileStoreError)? = received.values.first else {
                Issue.record("the handler received \(received.values)")
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
