import Keyspan

extension Domain {
    /// The keys and values, of which there is at least one.
    ///
    /// As in `defaults`, a domain without keys does not exist, whether it has a file or not. Nothing is created.
    ///
    /// - Throws: ``ToolError`` if the domain does not exist or its file cannot be read.
    func contents() throws(ToolError) -> PropertyListTable {
        let table = try snapshot()
        guard !table.isEmpty else {
            let remedy = name.hasSameUTF8(as: path) ? "check the path" : "`keyspan domains` lists those that do"
            throw .failure("The domain \(name.debugDescription) does not exist; \(remedy).")
        }
        return table
    }

    /// The keys and values, none if there is no file.
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

    /// Applies a batch and returns when it is on the disk; the file is made if there is none.
    ///
    /// - Parameter change: Makes the batch from what the domain holds. The batch expects what it was made from.
    /// - Throws: ``ToolError`` if nothing was changed, or if it is not certain that it is durable.
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
                // Another process was faster, whose values the store has now.
                guard error.isRepeatable else { throw .failure("\(error)") }
            }
        }
    }

    /// Changes the domain through the library and returns when the change is on the disk.
    ///
    /// - Throws: ``ToolError`` if the store refuses, or if it is not certain that the change is durable.
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
                + "`keyspan read \(name)` lists those that it has."
        )
    }

    /// Opens the store of the domain; creates nothing.
    ///
    /// It keeps no journal: nothing is to be left beside the file when a command ends, and one that only watches may
    /// not write, neither to fold a journal of others nor to adopt a version of the file.
    ///
    /// - Parameter isWatching: Whether observers hear what others write.
    /// - Throws: ``ToolError`` if there is a file that cannot be used.
    func open(isWatching: Bool = false) throws(ToolError) -> any PropertyListStore {
        do {
            // Durable at once, so that what a batch expects is compared with what all processes have written.
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
