@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// What notices and errors of files say to a log.
@Suite struct FileProblemDetailsTests {
    private static let kinds: [(FileStoreNotice.Kind, Defaults.Problem.Severity)] = [
        (.withoutLocks, .warning), (.worldWritableFolder, .warning), (.journalEndsEarly, .notice),
        (.recovered, .notice),
        (.rejected, .warning), (.valuesHeldBack, .warning), (.unreadable, .warning), (.polling, .notice),
        (.unusableSecret, .error), (.keyHeldTwice, .warning),
    ]

    @Test(arguments: kinds)
    func `the kind of a notice decides its severity`(
        _ kind: FileStoreNotice.Kind,
        _ severity: Defaults.Problem.Severity
    ) {
        #expect(kind.severity == severity)
    }

    @Test func `a notice of a damaged file has its kind, its path and the place in it`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("{\n  \"port\": sesame\n}".utf8), to: "file")
        let problems = Recorder<Defaults.Problem>()
        _ = try Defaults.withProblemHandler({ problems.record($0) }) {
            try JSONFileStore(
                path: folder.path("file"),
                options: FileStoreOptions(recovery: .lastGoodCopy),
                seams: FileStoreSeams(fileSystem: POSIXFileSystem(), openEngines: OpenEngines())
            )
        }
        let problem = try #require(problems.values.first)
        #expect(problem.severity == .notice)
        let expected = [
            "problem": "storeNotice", "kind": "recovered", "store": folder.path("file"), "path": folder.path("file"),
            "step": "parse", "line": "2", "column": "11",
        ]
        #expect(problem.fields == expected)
        #expect(!problem.fields.values.contains { $0.contains("sesame") })
    }

    @Test func `a failed system call has its number`() {
        let error = FileStoreError(.flush, path: "/tmp/file", SystemCallError(.fsync, "/tmp/file", 28))
        let problem = Defaults.Problem.storeUnavailable(name: "store", cause: error)
        let expected = [
            "problem": "storeUnavailable", "store": "store", "path": "/tmp/file", "step": "flush", "errno": "28",
        ]
        #expect(problem.severity == .error && problem.fields == expected)
    }
}
