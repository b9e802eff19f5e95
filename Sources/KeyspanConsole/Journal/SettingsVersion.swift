#if Console
/// A state of the settings as a console has seen it: its number in this run of the program.
///
/// It is the version of a key's value on a page, and the id of an event.
struct SettingsVersion: Sendable, Hashable {
    /// The run: a random number for each console.
    let run: UInt64
    /// The number of changes before.
    let number: UInt64
}

extension SettingsVersion: CustomStringConvertible {
    /// The run in hexadecimal digits, a dot, and the number.
    var description: String { "\(String(run, radix: 16)).\(number)" }

    /// Reads what ``description`` wrote.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let run = UInt64(parts[0], radix: 16), let number = UInt64(parts[1]) else { return nil }
        self.init(run: run, number: number)
    }
}
#endif
