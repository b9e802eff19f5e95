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

    /// The keys and values as the file has them; an empty table if the file does not exist.
    ///
    /// - Throws: ``ToolError`` if the file cannot be read.
    func snapshot() throws(ToolError) -> PropertyListTable {
        let store = try open()
        do {
            return try store.members()
        } catch {
            throw .failure("\(error)")
        }
    }

    /// The value of a key, which may be nested.
    ///
    /// - Throws: ``ToolError`` if the domain or the key does not exist or the file cannot be read.
    func value(forKey key: String) throws(ToolError) -> PropertyListValue {
        let members = try contents()
        guard let value = try value(forKey: key, in: members) else { throw missingKeyError(key, in: members) }
        return value
    }

    /// The value of a key, which may be nested; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - members: The contents of the domain.
    /// - Throws: ``ToolError`` if the file cannot be read.
    func value(forKey key: String, in members: PropertyListTable) throws(ToolError) -> PropertyListValue? {
        if NestedName(key) != nil, let value = try open(reaching: [key]).snapshot()[key], value.kind != .dictionary {
            // The store reports a key that is there twice, and the one that counts is the one that a write would replace.
            return value
        }
        // A dictionary may have members that another process has written one by one.
        return members.value(named: key)
    }

    /// Applies a batch and returns when it is on the disk; creates the file if it does not exist.
    ///
    /// - Parameters:
    ///   - names: The keys that the batch writes, which may be nested: they are written where they are.
    ///   - change: Makes the batch from the contents of the domain, and adds expectations for the values that it uses.
    /// - Throws: ``ToolError`` if nothing has changed, or if the change may not be durable.
    func write(
        reaching names: [String] = [],
        _ change: (PropertyListTable, inout PropertyListBatch) throws(ToolError) -> Void
    ) throws(ToolError) {
        let store = try open(reaching: names)
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
    /// - Parameters:
    ///   - names: The entries that the change reads and writes, which may be nested.
    ///   - change: Makes the change.
    /// - Throws: ``ToolError`` if the store rejects the change, or if it may not be durable.
    func edit(reaching names: [String] = [], _ change: (Defaults) throws(StoreError) -> Void) throws(ToolError) {
        let defaults = Defaults(try open(reaching: names))
        do {
            try change(defaults)
            try defaults.synchronize()
        } catch {
            throw .failure("\(error)")
        }
    }

    /// The error for a key that the domain does not have.
    ///
    /// It names what stands in the way of a path, or the nearest name that the domain has.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - members: The contents of the domain.
    func missingKeyError(_ key: String, in members: PropertyListTable) -> ToolError {
        let members = members.dictionary
        let subject = "The domain \(name.debugDescription) has no key \(key.debugDescription)"
        let list = "`keyspan read \(name)` lists its keys."
        if let obstacle = NestedName(key)?.obstacle(in: members) { return .failure("\(subject): \(obstacle); \(list)") }
        guard let nearest = Suggestion.nearest(to: key, among: NestedName.all(in: members)) else {
            return .failure("\(subject); \(list)")
        }
        return .failure("\(subject); did you mean \(nearest.debugDescription)? \(list)")
    }

    /// Opens the store of the domain; creates nothing.
    ///
    /// It has no journal: a command must not leave a file beside the domain's, and `watch` must not write, not even to checkpoint
    /// another program's journal.
    ///
    /// - Parameters:
    ///   - names: The keys that are read and written where the file nests them.
    ///   - isWatching: Whether observers are notified of writes by other processes.
    /// - Throws: ``ToolError`` if the file is unusable.
    func open(reaching names: [String] = [], isWatching: Bool = false) throws(ToolError) -> any FileStore {
        let nested = names.compactMap { NestedName($0) }
        if nested.isEmpty { return try open(entries: [], FileStoreOptions.Nesting(), isWatching: isWatching) }
        let members = try snapshot()
        var nesting = FileStoreOptions.Nesting()
        nesting.newKeys = nested.contains { $0.isNested(besides: members.dictionary) } ? .nested : .flat
        // A running program may nest its keys below a name; the store refuses a value for it, because it would be there twice.
        let inGroups = try open().snapshot().sortedKeys.filter { members[$0] == nil }
        let entries = names.filter { name in !inGroups.contains { $0.hasUTF8Prefix(name + ".") } }
        return try open(entries: entries, nesting, isWatching: isWatching)
    }

    private func open(
        entries names: [String],
        _ nesting: FileStoreOptions.Nesting,
        isWatching: Bool
    ) throws(ToolError) -> any FileStore {
        // Durable at once, so that a batch's expectations are compared with the writes of all processes.
        let options = FileStoreOptions(
            durability: .everyBatch,
            journal: .none,
            isWatching: isWatching,
            nesting: nesting,
            comments: .inAllFiles
        )
        do {
            switch DomainFormat(path: path) {
            case .json?, .jsonc?, nil: return try JSONFileStore(path: path, reaching: names, options: options)
            case .plist?: return try PropertyListFileStore(path: path, reaching: names, options: options)
            }
        } catch {
            throw .failure("\(error)")
        }
    }
}
