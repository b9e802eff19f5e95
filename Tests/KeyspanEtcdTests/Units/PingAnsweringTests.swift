import KeyspanTestSupport
import KeyspanTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import KeyspanEtcd

@Suite(.seeded) struct PingAnsweringTests {
    private static let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    private static let pong: [UInt8] = [0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    private static let data: [UInt8] = [0, 0, 5, 0, 0, 0, 0, 0, 1, 6, 6, 6, 6, 6]
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    @Test func `pings are answered, and all other frames pass, wherever the reads divide them`() throws {
        let input = Self.settings + Self.ping + Self.data + Self.ping + Self.ping + Self.pong + Self.data + Self.ping
        let passed = Self.settings + Self.data + Self.pong + Self.data
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for round in 0..<200 {
            let channel = EmbeddedChannel(handler: PingAnswering())
            var (position, received, sent) = (0, [UInt8](), [UInt8]())
            while position < input.count {
                let size = round == 0 ? 1 : Int.random(in: 1...20, using: &random)
                let part = input[position..<min(position + size, input.count)]
                try channel.writeInbound(ByteBuffer(bytes: part))
                position += part.count
            }
            while let part = try channel.readInbound(as: ByteBuffer.self) { received += part.readableBytesView }
            while let part = try channel.readOutbound(as: ByteBuffer.self) { sent += part.readableBytesView }
            #expect(received == passed)
            #expect(sent == Self.pong + Self.pong + Self.pong + Self.pong)
            _ = try? channel.finish()
        }
    }
}
