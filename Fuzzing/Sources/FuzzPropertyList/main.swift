import LibFuzzer

Fuzzing.run { start, count in
    PropertyListCheck(document: Array(UnsafeBufferPointer(start: start, count: count))).run()
    return 0
}
