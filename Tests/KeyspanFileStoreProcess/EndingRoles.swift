import KeyspanCore
import KeyspanFileStore

/// Acts that concern a whole process: its exit, its mask, its limits and its working folder.
extension Invocation {
    /// Exits with a write that nothing has saved yet.
    func exitUnsaved() throws {
        let store = try open()
        try store.apply(PropertyListBatch(.set("new", key: "key")))
        withExtendedLifetime(store) { exit(7) }
    }

    /// Exits in a validation, with a write that nothing has saved yet.
    func exitValidating() throws {
        var options = mode.options
        options.saveDelay = .seconds(3600)
        options.isWatching = false
        let store = try JSONFileStore(path: path, options: options) { table in if table["port"] == 0 { exit(7) } }
        try store.apply(PropertyListBatch(.set("new", key: "key")))
        try PlainFile.replace(path, with: ["port": 0])
        if name == "batch" {
            var batch = PropertyListBatch(.set(1, key: "count"))
            batch.expect(nil, forKey: "count")
            try store.apply(batch)
        } else {
            try store.reload()
        }
        say("\(Report.fault)the validation was not called")
    }

    /// Raises a counter in this process, and in a child without a program of its own, which opens the file as well.
    func incrementInChild() throws {
        func increment(_ store: JSONFileStore) throws {
            for _ in 0..<count { try Defaults(store).commit { $0[Defaults.Key<Int>("n", default: 0)] += 1 } }
            try store.synchronize()
        }
        // Nothing in the background, which might hold a lock of the process when the child is made.
        var options = StoreMode.onSynchronize.options
        options.isWatching = false
        let store = try JSONFileStore(path: path, options: options)
        // From here on the journal is open.
        try save("new", in: store)
        // Swift has no name for it, because few programs may use it.
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(nil, "fork") else { return say("\(Report.fault)there is no fork") }
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
            do {
                try increment(JSONFileStore(path: path, options: options))
            } catch {
                say("\(Report.fault)\(error)")
            }
            _exit(0)
        }
        try increment(store)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        if status != 0 { say("\(Report.fault)the child ended with \(status)") }
    }

    /// Saves a new file and an old one under several masks, in the folder of its path.
    func saveUnderMasks() throws {
        let paths = ["\(path)/new.json", "\(path)/old.json"]
        for mask in [mode_t(0o777), 0o277, 0o022, 0] {
            umask(mask)
            for path in paths { try save("\(mask)", in: JSONFileStore(path: path)) }
            let permissions = try paths.map { try POSIXFileSystem().status(ofItemAt: $0).permissions }
            if permissions != [0o600, 0o666] { say("\(Report.fault)\(permissions) under the mask \(mask)") }
        }
    }

    /// Saves a value that is larger than the limit of the size of files, and then a small one.
    func exceedSizeLimit() throws {
        if name == "ignoring" { signal(SIGXFSZ, SIG_IGN) }
        var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        let store = try open()
        try save("synchronized", in: store)
        do {
            try save(String(repeating: "x", count: 100_000), in: store)
            say("\(Report.fault)the large value is saved")
        } catch let error as StoreError where (error.underlying as? FileStoreError)?.errorNumber == EFBIG {}
        try save("small", in: store)
    }

    /// Opens a store with a relative path, in the folder of its path, and saves after it went to another folder.
    func changeFolders() throws {
        guard chdir(path) == 0 else { return say("\(Report.fault)\(path) is no folder") }
        let store = try JSONFileStore(path: "file.json")
        guard chdir("sub") == 0 else { return say("\(Report.fault)sub is no folder") }
        try save("new", in: store)
    }

    private func save(_ text: String, in store: JSONFileStore) throws {
        try store.apply(PropertyListBatch(.set(.string(text), key: "key")))
        try store.synchronize()
    }
}
