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
            Fuzzing.check(read(chunks) == whole, "the data depends on how the stream was cut")
        }
        guard let data = whole else { return }
        for text in data {
            // A byte that is not UTF-8 is a replacement character of three bytes.
            Fuzzing.check(text.utf8.count <= Self.limit * 3, "data is larger than the limit")
            Fuzzing.check(!text.utf8.contains { $0 == 0x0A || $0 == 0x0D }, "data is longer than a line")
        }
        var reader = EventReader(limit: Self.limit * 4)
        let written = data.flatMap { Array("event: changed\ndata: \($0)\n\n".utf8) }
        Fuzzing.check((try? reader.read(written)) == data, "written data is read as other data")
        Fuzzing.check(reader.hasLine != data.isEmpty, "a line was not noticed")
    }

    /// The data; `nil` if a line exceeds the limit.
    private func read(_ chunks: [[UInt8]]) -> [Substring]? {
        var reader = EventReader(limit: Self.limit)
        var data: [Substring] = []
        do throws(RemoteStoreError) {
            for chunk in chunks { data += try reader.read(chunk) }
        } catch {
            Fuzzing.check(error.kind == .tooLarge, "a stream is refused for another reason than its size")
            return nil
        }
        return data
    }
}
