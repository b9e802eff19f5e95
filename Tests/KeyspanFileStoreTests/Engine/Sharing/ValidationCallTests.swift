@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Calls of stores from within validators, rules and `Codable` types, which stores call while others wait.
@Suite struct ValidationCallTests {
    /// The code of a program that a store calls to examine what others wrote.
    enum Examiner: CaseIterable {
        case validator, rule, codable
    }

    /// What such code asks or does.
    enum Call: CaseIterable {
        case provenance, validate, describe, open, openWithKeys, reload, synchronize, apply, modify, replaceText,
            exclude

        func outcome(of file: SharedFolder) throws -> String {
            let (store, limit) = (try #require(file.known), Defaults.Key<Int>("limit", default: 1))
            // A value that breaks a rule has its line in the error.
            let broken = limit.validated(by: .range(100...200))
            do throws(any Error) {
                switch self {
                case .provenance: return Defaults(store).provenance(of: limit)?.description ?? "none"
                case .validate: try Defaults(store).validate([broken])
                case .describe: return "\(Defaults(store).describe([broken]))".isEmpty ? "nothing" : "described"
                case .open: _ = try file.open()
                case .openWithKeys: _ = try file.open(keys: [Defaults.Key<Int>("other.limit", default: 0)])
                case .reload: try store.reload()
                case .synchronize: try store.synchronize()
                case .apply: try store.apply(PropertyListBatch(.set(1, key: "own")))
                case .modify:
                    try store.apply(.replacing(nil, by: 1, key: "own"))
                case .replaceText: _ = try store.engine.replaceText { _ in nil }
                case .exclude: try store.engine.withExclusiveFile {}
                }
                return "done"
            } catch let error as FileStoreError {
                return error.step == .validate ? "validate" : error.step.rawValue
            } catch let error as StoreError {
                return error.code.description
            } catch is Defaults.ValidationError {
                return "invalid"
            }
        }

        /// Whether it is refused, because it waits for the file.
        var isRefused: Bool {
            switch self {
            case .provenance, .validate, .describe: false
            case .open, .openWithKeys, .reload, .synchronize, .apply, .modify, .replaceText, .exclude: true
            }
        }
    }

    /// A file whose stores share one table.
    final class SharedFolder: Sendable {
        let folder = TemporaryFolder.forTest
        let engines: OpenEngines
        let reports = Recorder<FileReport>()
        private let store = Locked<JSONFileStore?>(nil)

        /// The store that examines the file; `nil` while it opens, and when the test is over.
        var known: JSONFileStore? {
            get { store.withLock(\.self) }
            set { store.withLock { $0 = newValue } }
        }

        init(in engines: OpenEngines = OpenEngines()) { self.engines = engines }

        func open(
            keys: [Defaults.AnyKey] = [],
            validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
        ) throws(FileStoreError) -> JSONFileStore {
            try JSONFileStore(
                path: folder.path("file.json"),
                keys: keys,
                unknownNames: .areIgnored,
                validate: validate,
                seams: .manual(engines: engines, report: reports.record)
            )
        }
    }

    /// A value that runs code when it is read.
    struct Probe: Codable, Defaults.Serializable {
        @TaskLocal static var onDecoding: (@Sendable () -> Void)?
        let number: Int

        init(from decoder: any Decoder) throws {
            number = try decoder.singleValueContainer().decode(Int.self)
            Self.onDecoding?()
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }
    }

    /// A refresh examines what others wrote without the file's lock, a batch that depends on its values with it.
    @Test(arguments: Call.allCases, Examiner.allCases)
    func `a call of an examined store answers the same wherever the examination runs, and never traps`(
        call: Call,
        examiner: Examiner
    ) throws {
        let file = SharedFolder()
        try file.folder.write(["limit": 80, "probe": 0])
        let outcomes = Recorder<String>()
        let ask: @Sendable () -> Void = {
            guard file.known != nil else { return }
            do {
                outcomes(try call.outcome(of: file))
            } catch {
                Issue.record(error)
            }
        }
        try Probe.$onDecoding.withValue(examiner == .codable ? ask : nil) {
            let probe: Defaults.AnyKey =
                switch examiner {
                case .validator: Defaults.Key<Int>("probe", default: 0)
                case .rule:
                    Defaults.Key<Int>("probe", default: 0).validated(
                        by: Defaults.Rule("asked") { _ in
                            ask()
                            return true
                        }
                    )
                case .codable: Defaults.Key<Probe?>("probe")
                }
            let store = try file.open(keys: [probe]) { _ in if examiner == .validator { ask() } }
            file.known = store
            defer { file.known = nil }
            try file.folder.edit(["limit": 81, "probe": 1])
            try store.reload()
            let atReload = outcomes.values
            try file.folder.edit(["limit": 82, "probe": 2])
            try store.apply(.replacing(82, by: 83, key: "limit"))
            #expect(atReload.count == 1 && outcomes.values == atReload + atReload)
            #expect(store.value(forKey: "limit") == 83 && store.value(forKey: "probe") == 2)
            guard let outcome = atReload.first else { return }
            #expect((outcome == "validating" || outcome == "validate") == call.isRefused, "\(outcome)")
        }
    }

    @Test func `a store cannot be opened by the validator of its own opening`() throws {
        let file = SharedFolder()
        try file.folder.write(["limit": 80])
        let steps = Recorder<FileStoreError.Step?>()
        let store = try file.open { _ in
            let error = #expect(throws: FileStoreError.self) { try file.open() }
            steps(error?.step)
        }
        #expect(steps.values == [.validate] && store.value(forKey: "limit") == 80)
    }

    /// Each validation runs while its file is locked, and both wait for the other's file.
    @Test func `two validators that synchronize each other's stores do not wait forever`() throws {
        let files = [SharedFolder(), SharedFolder()]
        let running = Locked(0)
        let codes = Recorder<StoreError.Code?>()
        for (index, file) in files.enumerated() {
            try file.folder.write(["limit": 80])
            file.known = try file.open { _ in
                guard file.known != nil, let other = files[1 - index].known else { return }
                running.withLock { $0 += 1 }
                eventually("both validators run") { running.withLock { $0 == 2 } }
                codes(storeError { () throws(StoreError) in try other.synchronize() }?.code)
            }
        }
        for file in files { try file.folder.edit(["limit": 81]) }
        let threads = files.compactMap(\.known).map { store in
            TestThread {
                #expect(throws: Never.self) { try store.apply(.replacing(81, by: 82, key: "limit")) }
            }
        }
        for thread in threads { thread.join() }
        #expect(codes.values.count == 2 && codes.values.contains(.validating) && codes.values.contains(nil))
        for file in files {
            #expect(file.known?.value(forKey: "limit") == 82)
            file.known = nil
        }
    }

    /// One validator has written the other's store, in memory or in its file, and its thread calls an observer.
    @Test(arguments: [false, true])
    func `a write that is done waits for no validator, and one in memory for none either`(isInFile: Bool) throws {
        let (first, second) = (SharedFolder(), SharedFolder())
        let isObserving = Locked(false)
        let codes = Recorder<StoreError.Code?>()
        for file in [first, second] { try file.folder.write(["limit": 80]) }
        first.known = try first.open { table in
            guard table["limit"] == 81, let other = second.known else { return }
            try other.apply(isInFile ? .replacing(nil, by: 1, key: "own") : PropertyListBatch(.set(1, key: "own")))
        }
        second.known = try second.open { table in
            guard table["limit"] == 81, let other = first.known else { return }
            codes(storeError { () throws(StoreError) in try other.apply(PropertyListBatch(.set(1, key: "own"))) }?.code)
        }
        let observation = second.known?.observe(.named(["own"]), initial: false) { _ in
            isObserving.withLock { $0 = true }
            eventually("the second validator has written") { codes.count == 1 }
        }
        defer { observation?.cancel() }
        let change = { @Sendable (file: SharedFolder) in
            #expect(throws: Never.self) {
                try file.folder.edit(["limit": 81])
                try file.known?.apply(.replacing(81, by: 82, key: "limit"))
            }
        }
        let thread = TestThread { change(first) }
        eventually("the observer runs") { isObserving.withLock(\.self) }
        TestThread { change(second) }.join()
        thread.join()
        #expect(codes.values == [nil])
        for file in [first, second] {
            #expect(file.known?.value(forKey: "limit") == 82 && file.known?.value(forKey: "own") == 1)
            file.known = nil
        }
    }

    @Test func `a process that ends in a validation saves what other threads wrote meanwhile`() throws {
        let file = SharedFolder()
        try file.folder.write(["limit": 80])
        let saved = Recorder<PropertyListTable>()
        file.known = try file.open { [folder = file.folder] table in
            guard table["limit"] == 81, let store = file.known else { return }
            let thread = TestThread {
                #expect(throws: Never.self) { try store.apply(PropertyListBatch(.set("new", key: "own"))) }
            }
            thread.join()
            // As at the exit of the process, whose lock ends then.
            file.engines.settleAll()
            for name in ["file.json", ".file.json.journal"] {
                try folder.write(folder.bytes(of: name), to: name.replacing("file", with: "copy"))
            }
            try saved.record(ProcessDouble(path: folder.path("copy.json")).store.snapshot())
        }
        let store = try #require(file.known)
        defer { file.known = nil }
        try file.folder.edit(["limit": 81])
        try store.apply(.replacing(81, by: 82, key: "limit"))
        #expect(saved.values == [["limit": 81, "own": "new"]])
        try store.synchronize()
        #expect(try ProcessDouble(path: file.folder.path("file.json")).store.snapshot() == ["limit": 82, "own": "new"])
    }

    /// Both validations run while their files are locked.
    @Test func `a process that ends in a validation does not wait for a thread that waits for its file`() throws {
        let engines = OpenEngines()
        let (ending, waiting) = (SharedFolder(in: engines), SharedFolder(in: engines))
        let running = Locked(0)
        let unsaved = Recorder<[[String]?]>()
        let meet: @Sendable () -> Void = {
            running.withLock { $0 += 1 }
            eventually("both validators run") { running.withLock { $0 == 2 } }
        }
        for file in [ending, waiting] { try file.folder.write(["limit": 80]) }
        waiting.known = try waiting.open { table in
            guard table["limit"] == 81, let other = ending.known else { return }
            meet()
            // The other validator asks whether this waits, which holds it off for a moment.
            while storeError({ () throws(StoreError) in try other.synchronize() })?.code == .validating {}
        }
        ending.known = try ending.open { table in
            guard table["limit"] == 81, let other = waiting.known?.engine else { return }
            meet()
            eventually("the other validator waits for this one") {
                do {
                    try other.validation.examination.beginWait(for: "other")?.end()
                    return false
                } catch {
                    return true
                }
            }
            engines.settleAll()
            unsaved([ending, waiting].map { $0.known?.unsavedKeys })
        }
        for file in [ending, waiting] {
            try file.known?.apply(PropertyListBatch(.set("new", key: "own")))
            try file.folder.edit(["limit": 81])
        }
        let threads = [ending, waiting].compactMap(\.known).map { store in
            TestThread {
                #expect(throws: Never.self) { try store.apply(.replacing(81, by: 82, key: "limit")) }
            }
        }
        for thread in threads { thread.join() }
        #expect(unsaved.values == [[[], []]] && ending.reports.count + waiting.reports.count == 0)
        for file in [ending, waiting] {
            try file.known?.synchronize()
            #expect(
                try ProcessDouble(path: file.folder.path("file.json")).store.snapshot() == ["limit": 82, "own": "new"]
            )
            file.known = nil
        }
    }

    @Test func `a validator may synchronize another store, and release one`() throws {
        let (file, other) = (SharedFolder(), SharedFolder())
        try file.folder.write(["limit": 80])
        other.known = try other.open()
        let store = try file.open { table in
            guard table["limit"] == 81 else { return }
            try other.known?.apply(PropertyListBatch(.set("seen", key: "state")))
            try other.known?.synchronize()
            try withExtendedLifetime(SharedFolder().open()) {}
        }
        try file.folder.edit(["limit": 81])
        try store.apply(.replacing(81, by: 82, key: "limit"))
        #expect(store.value(forKey: "limit") == 82 && other.known?.value(forKey: "state") == "seen")
        other.known = nil
    }
}
