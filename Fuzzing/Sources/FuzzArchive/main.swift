import Foundation
import LibFuzzer

#if canImport(Darwin)
// Apple's systems read archives by themselves.
Fuzzing.run { _, _ in 0 }
#else
Fuzzing.run { start, count in
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // Most changes to an archive break its structure, but the classes in it need input, too.
    for archive in [Data(bytes), MadeUpArchive.archive(bytes)] { ArchiveCheck(archive: archive).run() }
    return 0
}
#endif
