import Foundation
import Testing

/// `watch`, with another process that writes.
@Suite struct WatchTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("write", "app", "{a = 1; b = 2;}")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `prints each change on a line and ends well on a signal`(signal: Int32) async throws {
        let watch = try ToolProcess(
            ToolProcess.executable,
            ["watch", "app", "--initial"],
            environment: sandbox.environment
        )
        try await wait(for: "a = 1\nb = 2\n", from: watch)
        try sandbox.run("write", "app", "c", "two words")
        try await wait(for: "a = 1\nb = 2\nc = \"two words\"\n", from: watch)
        try sandbox.run("delete", "app", "a")
        try await wait(for: "a = 1\nb = 2\nc = \"two words\"\na removed\n", from: watch)
        watch.send(signal)
        let result = try watch.finish()
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
    }

    @Test func `prints the changes of one key`() async throws {
        let watch = try ToolProcess(
            ToolProcess.executable,
            ["watch", "app", "b", "--initial"],
            environment: sandbox.environment
        )
        try await wait(for: "b = 2\n", from: watch)
        try sandbox.run("write", "app", "a", "other")
        try sandbox.run("write", "app", "b", "-array", "x", "-int", "3")
        try await wait(for: "b = 2\nb = (x, 3)\n", from: watch)
        watch.send(SIGTERM)
        #expect(try watch.finish().output == "b = 2\nb = (x, 3)\n")
    }

    /// Returns when the process has written that much; the limit only keeps a failing test from waiting for ever.
    private func wait(for output: String, from process: ToolProcess) async throws {
        for _ in 0..<600 {
            if try process.output == output { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        process.send(SIGKILL)
        Issue.record("expected \(output.debugDescription), got \(try process.output.debugDescription)")
        _ = try process.finish()
        throw CancellationError()
    }
}
