import LibFuzzer

Fuzzing.run { start, count in
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    JournalCheck(journal: bytes).run()
    // Hardly any change to a journal leaves its checksums right: behind them the reader has to be tried as well.
    for journal in [MadeUpJournal.sealing(bytes), MadeUpJournal.framing(bytes)] where journal != bytes {
        JournalCheck(journal: journal).run()
    }
    return 0
}
