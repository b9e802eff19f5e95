import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Observation
import Testing

/// Reads of names that lead into dictionaries, and changes of those, for `withObservationTracking`.
@Suite struct TrackedNameTests {
    private struct Keys: KeyGroup {
        let port = Key<Int>("server.port", default: 0)
        let server = Key<[String: Int]>("server", default: [:])
    }

    @Test(arguments: ["server.port", "server"], ["{\"server\":{\"port\":1}}", "{\"server.port\":1}"])
    func `a change of a name inside of a dictionary is reported`(name: String, contents: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/settings.json"
        try contents.write(toFile: path, atomically: true, encoding: .utf8)
        let settings = Defaults.Group<Keys>(try JSONFileStore(path: path))
        let changes = Recorder<Bool>()
        withObservationTracking {
            _ = name == "server" ? settings.server.count : settings.port
        } onChange: {
            changes(true)
        }
        settings.port = 2
        #expect(changes.count == 1)
        #expect(settings.port == 2)
    }
}
