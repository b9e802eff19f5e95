import LibFuzzer

Fuzzing.run { start, count in
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    JournalCheck(journal: bytes).run()
    // Few changes to a journal leave its checksums right: behind them the reader has to be tried as well.
    JournalCheck(journal: JournalSeal.sealing(bytes)).run()
    return 0
}
