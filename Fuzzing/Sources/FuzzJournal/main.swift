import LibFuzzer

Fuzzing.run { start, count in
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    JournalCheck(journal: bytes).run()
    // Most changes to a journal break its checksums, but the code after their check needs input, too.
    for journal in [MadeUpJournal.sealing(bytes), MadeUpJournal.framing(bytes)] where journal != bytes {
        JournalCheck(journal: journal).run()
    }
    return 0
}
