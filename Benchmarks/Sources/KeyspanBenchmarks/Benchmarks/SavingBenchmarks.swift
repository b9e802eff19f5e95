import Foundation
import Keyspan

/// Making one changed key durable, next to what the disk asks for at least.
struct SavingBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        plan.fileSizes.flatMap { [toJournal($0), toFile($0)] } + plan.fileSizes.suffix(1).map(toJournalWithFolds)
    }

    /// To a journal that is not folded meanwhile, next to an append of as many bytes as a record has.
    private func toJournal(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore: synchronize, \(size) keys") { [folder] in
            let saved = try SavedStore(try folder.newFile(), count: size, options: .notInBackground)
            return (saved.synchronize("synchronize"), try saved.appendOfRecord())
        }
    }

    /// Without a journal, next to a bare replacement of the file by as many bytes.
    private func toFile(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore without journal: synchronize, \(size) keys") { [folder] in
            var options = FileStoreOptions.notInBackground
            options.journal = .none
            let saved = try SavedStore(try folder.newFile(), count: size, options: options)
            return (saved.synchronize("synchronize"), try saved.replacementOfFile())
        }
    }

    /// As a program gets it, so long that the journal is folded in the background in each round.
    private func toJournalWithFolds(_ size: Int) -> Benchmark {
        Benchmark("JSONFileStore: synchronize and folds, \(size) keys") { [folder, plan] in
            let saved = try SavedStore(try folder.newFile(), count: size, options: .init())
            return (
                saved.synchronize("synchronize", roundLength: plan.foldingRoundLength),
                try saved.appendOfRecord()
            )
        }
    }
}
