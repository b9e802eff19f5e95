import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

struct AsynchronousCommitTests {
    /// More calls than Dispatch has threads for a process.
    @Test(.heavy) func `commits to files on disks that do not answer hold up no other file`() async throws {
        let gate = Gate()
        let stuck = try (0..<20).map { _ in
            let fileSystem = FaultyFileSystem(SimulatedDisk())
            let options = FileStoreOptions(durability: .everyBatch)
            let process = try ProcessDouble(path: "/data/settings.json", options: options, fileSystem: fileSystem)
            try process.save(["n": 0])
            fileSystem.inject(.interlude(before: .fdatasync) { gate.pass() })
            return process
        }
        let healthy = try ProcessDouble(path: "/data/settings.json", fileSystem: SimulatedDisk())
        try await withThrowingTaskGroup { group in
            for process in stuck {
                for number in 1...16 {
                    group.addTask { try await process.store.commit(PropertyListBatch(.set(.init(number), key: "n"))) }
                }
            }
            try await eventually("all disks are asked", gate.waitingCount, is: stuck.count)
            let isDone = Recorder<Void>()
            group.addTask {
                try await healthy.store.commit(PropertyListBatch(.set(1, key: "n")))
                isDone.record(())
            }
            try await eventually("the other file has the batch", isDone.count, is: 1)
            for _ in stuck { gate.open() }
            try await group.waitForAll()
        }
    }

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
