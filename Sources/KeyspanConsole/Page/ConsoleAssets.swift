#if Console
/// The parts of the page that are files of their own.
enum ConsoleAssets {
    /// A text that differs if the files do, for the caches of browsers.
    static let version = {
        // FNV-1a, since a hash of the standard library is another one in each process.
        let hash = (ConsoleScript.text + ConsoleStyle.text).utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }()
}
#endif
