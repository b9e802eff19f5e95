@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport

extension TemporaryFolder {
    /// A folder for the tests of a suite, each of which has its own; without one they cannot begin.
    static var forTest: TemporaryFolder {
        do { return try TemporaryFolder() } catch { preconditionFailure("\(error)") }
    }

    /// Writes a file of JSON, as a program that knows of no store.
    func write(_ table: PropertyListTable, to name: String = "file.json") throws {
        try write(JSONFileCodec().encode(table), to: name)
    }

    /// Replaces a file in one step, as editors do.
    func edit(_ table: PropertyListTable, in name: String = "file.json") throws {
        try replace(name, String(decoding: JSONFileCodec().encode(table), as: UTF8.self))
    }

    /// The values of a file, without those that are only in its journal.
    func table(_ name: String = "file.json") throws -> PropertyListTable {
        try JSONFileCodec().decode(bytes(of: name))
    }
}

extension SimulatedDisk {
    /// A process that opens the settings file of the disk.
    func process(
        _ options: FileStoreOptions = FileStoreOptions(),
        on fileSystem: (any FileSystem)? = nil,
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws -> ProcessDouble {
        let (path, fileSystem) = ("/data/settings.json", fileSystem ?? startProcess())
        return try ProcessDouble(path: path, options: options, fileSystem: fileSystem, validate: validate)
    }
}

extension FileStoreSeams {
    /// Seams of a store that shares nothing with others of the process, and for which nothing happens by itself.
    static func manual(
        _ fileSystem: any FileSystem = POSIXFileSystem(),
        queue: any WorkQueue = ManualWorkQueue(),
        watcher: (any FileWatcher)? = nil,
        engines: OpenEngines = OpenEngines(),
        report: @escaping @Sendable (FileReport) -> Void = { _ in }
    ) -> FileStoreSeams {
        FileStoreSeams(fileSystem: fileSystem, queue: queue, watcher: watcher, openEngines: engines, report: report)
    }
}

extension PropertyListBatch {
    /// A write of a key that must have another value before.
    static func replacing(_ old: PropertyListValue?, by new: PropertyListValue?, key: String = "n") -> PropertyListBatch
    {
        var batch = PropertyListBatch()
        batch.expect(old, forKey: key)
        batch.set(new, forKey: key)
        return batch
    }
}

/// The error that a call throws; `nil` if it succeeds.
func storeError(_ call: () throws(StoreError) -> Void) -> StoreError? {
    do throws(StoreError) {
        try call()
        return nil
    } catch {
        return error
    }
}
