import Testing

@testable import KeyspanRemote

/// The end of work that waits for too long.
@Suite
struct IdleWatchTests {
    @Test func `work that has rested is ended like any other`() async throws {
        await #expect(throws: IdleWatch.Expired.self) {
            try await IdleWatch.run(limit: .milliseconds(20)) { watch in
                watch.rest()
                try await Task.sleep(for: .milliseconds(100))
                watch.noteActivity()
                try await Task.sleep(for: .seconds(3_600))
            }
        }
    }

    @Test func `work that rests is not ended`() async throws {
        let result = try await IdleWatch.run(limit: .seconds(5)) { watch in
            watch.rest()
            try await Task.sleep(for: .seconds(6))
            return 1
        }
        #expect(result == 1)
    }

    @Test func `a shorter limit counts at once`() async throws {
        await #expect(throws: IdleWatch.Expired.self) {
            try await IdleWatch.run(limit: .seconds(3_600)) { watch in
                try await Task.sleep(for: .milliseconds(10))
                watch.noteActivity(limit: .milliseconds(10))
                try await Task.sleep(for: .seconds(3_600))
            }
        }
    }

    @Test func `work that takes too long in all is ended while it rests`() async throws {
        await #expect(throws: IdleWatch.Expired.self) {
            try await IdleWatch.run(limit: .milliseconds(20), total: .milliseconds(60)) { watch in
                watch.rest()
                try await Task.sleep(for: .seconds(3_600))
            }
        }
    }
}
