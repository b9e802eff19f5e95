import LibFuzzer

Fuzzing.run { start, count in
    JSONCheck(text: Array(UnsafeBufferPointer(start: start, count: count))).run()
    return 0
}
