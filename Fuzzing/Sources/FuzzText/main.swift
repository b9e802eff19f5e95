import LibFuzzer

Fuzzing.run { start, count in
    TextCheck(text: Array(UnsafeBufferPointer(start: start, count: count))).run()
    return 0
}
