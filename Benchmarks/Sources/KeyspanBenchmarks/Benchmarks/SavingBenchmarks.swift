import Foundation
import Keyspan

/// Making one changed key durable, next to what the disk asks for at least.
struct SavingBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        plan.fileSizes.flatMap { [toJournal($0), toJournalNextToOverwriting($0), toFile($0)] }
            + plan.fileSizes.suffix(1).map(toJournalWithFolds)
    }

    /// To a journal without a checkpoint meanwhile, next to an append of as many bytes.
    private func toJournal(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore: durable write, \(size) keys") { [folder] in
            let saved = try SavedStore(try folder.newFile(), count: size, options: .notInBackground)
            return (saved.durableWrite(), try saved.append())
        }
    }

    /// The same next to writing as many bytes where others are.
    private func toJournalNextToOverwriting(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore: durable write, \(size) keys") { [folder] in
            let saved = try SavedStore(try folder.newFile(), count: size, options: .notInBackground)
            return (saved.durableWrite(), try saved.overwrite())
        }
    }

    /// Without a journal, next to a bare replacement of the file by as many bytes.
    private func toFile(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore without journal: durable write, \(size) keys") { [folder] in
            var options = FileStoreOptions.notInBackground
            options.journal = .none
            let saved = try SavedStore(try folder.newFile(), count: size, options: options)
            return (saved.durableWrite(), try saved.replacementOfFile())
        }
    }

    /// As a program gets it, so long that the journal has a checkpoint in the background in each round.
    private func toJournalWithFolds(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore: durable write and checkpoints, \(size) keys") { [folder, plan] in
            let saved = try SavedStore(try folder.newFile(), count: size, options: .init())
            return (saved.durableWrite(roundLength: plan.foldingRoundLength), try saved.append())
        }
    }
}
