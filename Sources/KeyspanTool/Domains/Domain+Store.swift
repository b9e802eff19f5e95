import Keyspan

extension Domain {
    /// The keys and values of an existing domain.
    ///
    /// A domain exists if it has a file, or keys in the journal of a file that does not exist yet. Nothing is created.
    ///
    /// - Throws: ``ToolError`` if the domain does not exist or its file cannot be read.
    func contents() throws(ToolError) -> PropertyListTable {
        let table = try snapshot()
        if table.isEmpty, try !hasFile() {
            let remedy = name.hasSameUTF8(as: path) ? "check the path" : "`keyspan domains` lists those that do"
            throw .failure("The domain \(name.debugDescription) does not exist; \(remedy).")
        }
        return table
    }

    /// Whether the domain has a file, or a journal of a file that does not exist yet.
    ///
    /// A path that cannot be examined counts as a file, so that the error appears when it is opened.
    var isStored: Bool {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        let journal = "\(path[..<end]).\(path[end...]).journal"
        return [path, journal].contains { item in
            do throws(SystemCallError) {
                _ = try InterruptRetryingFileSystem().status(ofItemAt: item)
                return true
            } catch {
                return !error.isNotFound
            }
        }
    }

    private func hasFile() throws(ToolError) -> Bool {
        let fileSystem = InterruptRetryingFileSystem()
        do {
            return try fileSystem.resolve(fileSystem.absolutePath(of: path)).status != nil
        } catch {
            throw .failure("\(path) cannot be found (\(error.text)); make its folder readable.")
        }
    }

    /// The keys and values; an empty table if the file does not exist.
    ///
    /// - Throws: ``ToolError`` if the file cannot be read.
    func snapshot() throws(ToolError) -> PropertyListTable {
        try open().snapshot()
    }

    /// The value of a key.
    ///
    /// - Throws: ``ToolError`` if the domain or the key does not exist or the file cannot be read.
    func value(forKey key: String) throws(ToolError) -> PropertyListValue {
        guard let value = try contents()[key] else { throw missingKeyError(key) }
        return value
    }

    /// Applies a batch and returns when it is on the disk; creates the file if it does not exist.
    ///
    /// - Parameter change: Makes the batch from the contents of the domain, and adds expectations for the values that it uses.
    /// - Throws: ``ToolError`` if nothing has changed, or if the change may not be durable.
    func write(
        _ change: (PropertyListTable, inout PropertyListBatch) throws(ToolError) -> Void
    ) throws(ToolError) {
        let store = try open()
        while true {
            var batch = PropertyListBatch()
            try change(store.snapshot(), &batch)
            do {
                return try store.apply(batch)
            } catch {
                // Another process was faster; the store has its values now.
                guard error.isRepeatable else { throw .failure("\(error)") }
            }
        }
    }

    /// Changes the domain through the library and returns when the change is on the disk.
    ///
    /// - Throws: ``ToolError`` if the store rejects the change, or if it may not be durable.
    func edit(_ change: (Defaults) throws(StoreError) -> Void) throws(ToolError) {
        let defaults = Defaults(try open())
        do {
            try change(defaults)
            try defaults.synchronize()
        } catch {
            throw .failure("\(error)")
        }
    }

    /// The error for a key that the domain does not have.
    func missingKeyError(_ key: String) -> ToolError {
        .failure(
            "The domain \(name.debugDescription) has no key \(key.debugDescription); "
                + "`keyspan read \(name)` lists its keys."
        )
    }

    /// Opens the store of the domain; creates nothing.
    ///
    /// It has no journal: a command must not leave a file beside the domain's, and `watch` must not write, not even to checkpoint
    /// another program's journal.
    ///
    /// - Parameter isWatching: Whether observers are notified of writes by other processes.
    /// - Throws: ``ToolError`` if the file is unusable.
    func open(isWatching: Bool = false) throws(ToolError) -> any PropertyListStore {
        do {
            // Durable at once, so that a batch's expectations are compared with the writes of all processes.
            let options = FileStoreOptions(durability: .everyBatch, journal: .none, isWatching: isWatching)
            switch DomainFormat(path: path) {
            case .json?, nil: return try JSONFileStore(path: path, options: options)
            case .plist?: return try PropertyListFileStore(path: path, options: options)
            }
        } catch {
            throw .failure("\(error)")
        }
    }
}
