import Keyspan
import KeyspanCore

extension Domain {
    /// The keys and values of an existing domain.
    ///
    /// A domain exists if it has a file, or keys in the journal of a file that does not exist yet, or in a cluster. Nothing is created.
    ///
    /// - Parameter names: Keys that are reported if a file has them twice, nested and with dots.
    /// - Throws: ``ToolError`` if the domain does not exist or cannot be read.
    func contents(reaching names: [String] = []) throws(ToolError) -> PropertyListTable {
        let table = try snapshot(reaching: names)
        guard table.isEmpty else { return table }
        guard let file else {
            throw .absent(
                "The domain \(name.quoted) has no keys; check the prefix, which usually ends with a slash."
            )
        }
        if try !file.exists() {
            let remedy = name.hasSameUTF8(as: file.path) ? "check the path" : "`keyspan domains` lists those that do"
            throw .absent("The domain \(name.quoted) does not exist; \(remedy).")
        }
        return table
    }

    /// The keys and values as the file or the cluster has them; an empty table if it has none.
    ///
    /// - Parameter names: Keys that are reported if a file has them twice, nested and with dots.
    /// - Throws: ``ToolError`` if the domain cannot be read.
    func snapshot(reaching names: [String] = []) throws(ToolError) -> PropertyListTable {
        switch place {
        case .file(let file): try file.open(reaching: names).snapshot()
        #if Etcd
        case .cluster(let prefix): try prefix.open().snapshot()
        #endif
        }
    }

    /// The value of a key, which may be nested.
    ///
    /// - Throws: ``ToolError`` if the domain or the key does not exist or the domain cannot be read.
    func value(forKey key: String) throws(ToolError) -> PropertyListValue {
        let members = try contents(reaching: [key])
        guard let value = members[key] else { throw missingKeyError(key, in: members) }
        return value
    }

    /// Applies a batch and returns when it is on the disk or committed by the cluster; creates a file that does not exist.
    ///
    /// - Parameters:
    ///   - names: The keys that the batch writes, which may be nested: they are written where they are.
    ///   - mayBeRecords: Whether these may be the library's own records, which are refused otherwise.
    ///   - change: Makes the batch from the contents of the domain, and adds expectations for the values that it uses.
    /// - Throws: ``ToolError`` if nothing has changed, or if the change may not be durable.
    func write(
        reaching names: [String] = [],
        mayBeRecords: Bool = false,
        _ change: (PropertyListTable, inout PropertyListBatch) throws(ToolError) -> Void
    ) throws(ToolError) {
        do {
            if !mayBeRecords { try LibraryEntries.check(names, in: name) }
        } catch {
            throw failure(error)
        }
        let store = try open(reaching: names, for: .writing)
        while true {
            var batch = PropertyListBatch()
            try change(store.snapshot(), &batch)
            do {
                return try store.apply(batch)
            } catch {
                // Another process was faster; the store has its values now.
                guard error.isRepeatable else { throw failure(error.naming(batch)) }
            }
        }
    }

    /// Changes the domain through the library and returns when the change is on the disk or committed by the cluster.
    ///
    /// - Parameters:
    ///   - names: The entries that the change reads and writes, which may be nested.
    ///   - change: Makes the change.
    /// - Throws: ``ToolError`` if the store rejects the change, or if it may not be durable.
    func edit(reaching names: [String] = [], _ change: (Defaults) throws(StoreError) -> Void) throws(ToolError) {
        let defaults = Defaults(try open(reaching: names, for: .writing))
        do {
            try change(defaults)
            try defaults.synchronize()
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: StoreError) -> ToolError {
        switch place {
        case .file: .failure("\(error)")
        #if Etcd
        case .cluster(let prefix): prefix.failure(error)
        #endif
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
        let subject = "The domain \(name.quoted) has no key \(key.quoted)"
        let list = "\(ShellWord.command("read", [name])) lists its keys."
        if file != nil, let obstacle = NestedName(key)?.obstacle(in: members) {
            return .absent("\(subject): \(obstacle); \(list)")
        }
        guard let nearest = Suggestion.nearest(to: key, among: NestedName.few(in: members, isNested: file != nil))
        else {
            return .absent("\(subject); \(list)")
        }
        return .absent("\(subject); did you mean \(nearest.quoted)? \(list)")
    }

    /// Opens the store of the domain; creates nothing.
    ///
    /// - Parameters:
    ///   - names: The keys that are read and written where a file nests them.
    ///   - purpose: What for.
    /// - Throws: ``ToolError`` if the file is unusable or the cluster cannot be reached.
    func open(
        reaching names: [String] = [],
        for purpose: DomainFile.Purpose
    ) throws(ToolError) -> any PropertyListStore {
        switch place {
        case .file(let file): try file.open(reaching: names, for: purpose)
        #if Etcd
        case .cluster(let prefix): try prefix.open()
        #endif
        }
    }
}
