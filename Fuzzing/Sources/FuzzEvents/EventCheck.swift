import LibFuzzer

// Testable, because the reader is internal.
@testable import KeyspanRemote

/// Checks the properties of the reader of event streams that hold for any bytes.
struct EventCheck {
    /// Small enough that inputs exceed it.
    private static let limit = 96

    let stream: [UInt8]

    func run() {
        let whole = read([stream])
        // The places of the cuts differ between inputs, and never change for one input.
        let sum = stream.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        let cut = stream.isEmpty ? 0 : sum % stream.count
        for chunks in [[Array(stream[..<cut]), Array(stream[cut...])], stream.map { [$0] }] {
            Fuzzing.check(read(chunks) == whole, "the events depend on how the stream was cut")
        }
        guard let events = whole else { return }
        for event in events {
            Fuzzing.check(event.data.count <= Self.limit, "an event is larger than the limit")
            Fuzzing.check(!event.type.isEmpty, "an event has no type")
            Fuzzing.check(!event.data.contains { $0 == 0x0D }, "a carriage return does not end a line")
        }
        checkRoundTrip(events)
    }

    /// Checks that the same events are read from the text of the events.
    private func checkRoundTrip(_ events: [ServerEvent]) {
        var text: [UInt8] = []
        for event in events {
            text += Array("event: \(event.type)\nid: \(event.lastID)\n".utf8)
            for line in event.data.split(separator: 0x0A, omittingEmptySubsequences: false) {
                text += Array("data: ".utf8) + line + [0x0A]
            }
            text.append(0x0A)
        }
        // Bytes that are not UTF-8 are longer when they are written again.
        var reader = EventReader(limit: Self.limit * 16)
        Fuzzing.check((try? reader.read(text)) == events, "written events are read as others")
    }

    /// The events; `nil` if the stream exceeds the limit.
    private func read(_ chunks: [[UInt8]]) -> [ServerEvent]? {
        var reader = EventReader(limit: Self.limit)
        var events: [ServerEvent] = []
        do throws(EventReader.TooLarge) {
            for chunk in chunks { events += try reader.read(chunk) }
        } catch {
            Fuzzing.check(error.limit == Self.limit, "an error names another limit")
            return nil
        }
        return events
    }
}
