import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

struct AsynchronousCommitTests {
    /// Each failing call, in each mode: the code of the error agrees with the memory and, after another attempt, with the disk.
    @Test(arguments: FileStoreOptions.modes, [SystemCall.write, .pwrite, .fsync, .fdatasync, .flock])
    func `an error of a commit says truly if it was applied`(options: FileStoreOptions, call: SystemCall) async throws {
        let disk = SimulatedDisk()
        try disk.write(Array(#"{"theme": "light"}"#.utf8), to: "/data/settings.json")
        let fileSystem = FaultyFileSystem(disk)
        let process = try ProcessDouble(path: "/data/settings.json", options: options, fileSystem: fileSystem)
        let batch = PropertyListBatch.replacing("light", by: "dark", key: "theme")

        fileSystem.inject(.refusal(call, errno: EIO))
        do throws(StoreError) {
            try await process.store.commit(batch)
            // The mode does not make that call.
        } catch {
            #expect(process["theme"] == (error.code == .notDurable ? "dark" : "light"), "\(error)")
            #expect(error.code == .notDurable || error.code == .notApplied, "\(error)")
            fileSystem.inject(.none)
            if error.code != .notDurable { try await process.store.commit(batch) }
        }
        fileSystem.inject(.none)
        try await process.store.synchronize()
        let later = try ProcessDouble(path: "/data/settings.json", fileSystem: disk)
        #expect(later["theme"] == "dark")
    }
}
