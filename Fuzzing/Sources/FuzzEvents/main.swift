import LibFuzzer

Fuzzing.run { start, count in
    EventCheck(stream: Array(UnsafeBufferPointer(start: start, count: count))).run()
    return 0
}
