import LibFuzzer

Fuzzing.run { start, count in
    MessageCheck(text: Array(UnsafeBufferPointer(start: start, count: count))).run()
    return 0
}
