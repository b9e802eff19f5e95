#if Etcd
import Foundation

/// The report of a process on its fleet, in one line.
struct FleetReport {
    /// The time to open each client but the first.
    let openingNanoseconds: Double
    /// The resident memory of each client but the first.
    let bytes: Double

    /// Reads what ``print()`` has written.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "opened", let time = Double(words[1]), let bytes = Double(words[2]) else {
            return nil
        }
        (openingNanoseconds, self.bytes) = (time, bytes)
    }

    init(openingNanoseconds: Double, bytes: Double) {
        (self.openingNanoseconds, self.bytes) = (openingNanoseconds, bytes)
    }

    /// Writes it to standard output.
    func print() throws {
        FileHandle.standardOutput.write(Data("opened \(openingNanoseconds) \(bytes)\n".utf8))
    }
}

/// A process's notice that all its clients were notified of a number, in one line.
struct FleetNotice {
    let number: Int
    /// When the last one was, by the clock that all processes share.
    let nanoseconds: Double

    /// Reads what ``print()`` has written.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "notified", let number = Int(words[1]), let time = Double(words[2]) else {
            return nil
        }
        (self.number, nanoseconds) = (number, time)
    }

    init(number: Int, nanoseconds: Double) {
        (self.number, self.nanoseconds) = (number, nanoseconds)
    }

    /// Writes it to standard output.
    func print() {
        FileHandle.standardOutput.write(Data("notified \(number) \(nanoseconds)\n".utf8))
    }
}
#endif
