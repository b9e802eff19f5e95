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
