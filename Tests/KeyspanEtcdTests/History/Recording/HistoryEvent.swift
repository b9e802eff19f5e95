import Foundation

/// One thing that a process recorded.
///
/// The invocation of a call and its return are events of their own, so that the file of a process that was killed between
/// them shows a call with an unknown outcome.
package enum HistoryEvent: Codable, Sendable, Equatable {
    /// The run has a seed.
    case seed(UInt64)
    /// A store was opened.
    case store(String, StoreMode)
    /// A call was invoked.
    case began(RecordedCall)
    /// A call returned.
    case ended(id: String, time: UInt64, CallOutcome, result: String?)
    /// An observation began.
    case observing(RecordedObserver)
    /// An observer was notified.
    case changed(observer: String, ObservedChange)
    /// An observation ended.
    case finished(observer: String, [String: String]?, endsEarly: Bool)
    /// A store was read.
    case read(reader: String, store: String, RecordedRead)
    /// The history of the cluster was read.
    case truth(ClusterTruth)
}

/// A text of one JSON object a line that holds the events of a process.
package struct HistoryLines: Sendable, Equatable {
    /// A line that is not an event of a history.
    package struct UnreadableLine: Error, CustomStringConvertible {
        /// The number of the line; the first one is 1.
        package let number: Int
        /// What the decoder says.
        package let reason: String

        package var description: String { "Line \(number) of the history is not an event: \(reason)" }
    }

    /// An event with its place in the order of its process.
    private struct Line: Codable {
        let n: Int
        let event: HistoryEvent
    }

    /// The text.
    package let text: String

    /// Takes over a text, for example that of a file.
    package init(text: String) {
        self.text = text
    }

    /// Writes events.
    package init(_ events: some Sequence<HistoryEvent>) throws {
        text = try events.enumerated().map { try Self.line($0.element, number: $0.offset) }.joined()
    }

    /// Writes one event as a line that ends with a line feed.
    ///
    /// - Parameter number: Its place in the order of its process. Lines with different numbers may be written in any order.
    package static func line(_ event: HistoryEvent, number: Int) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Line(n: number, event: event)), as: UTF8.self) + "\n"
    }

    /// Reads the events, in their order.
    ///
    /// A last line without its line feed is what a killed process could not finish, and is left out.
    package func events() throws -> [HistoryEvent] {
        let decoder = JSONDecoder()
        var lines: [Line] = []
        for (offset, line) in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().enumerated() {
            guard !line.isEmpty else { continue }
            do {
                lines.append(try decoder.decode(Line.self, from: Data(line.utf8)))
            } catch {
                throw UnreadableLine(number: offset + 1, reason: "\(error)")
            }
        }
        return lines.sorted { $0.n < $1.n }.map(\.event)
    }
}
