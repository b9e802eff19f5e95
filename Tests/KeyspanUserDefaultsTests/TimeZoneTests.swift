import Foundation
import KeyspanCore
import KeyspanUserDefaults
import Testing

/// A time zone is stored as its identifier.
@Suite struct TimeZoneTests {
    private static func zone(_ identifier: String) throws -> TimeZone { try #require(TimeZone(identifier: identifier)) }

    @Test func `a time zone is stored as its identifier`() throws {
        let json = PropertyListValue.data(Data(#"{"identifier":"Europe/Berlin"}"#.utf8))
        let others: [PropertyListValue] = [#"{"identifier":"Europe/Berlin"}"#, ["identifier": "Europe/Berlin"], json]
        try FormCheck(Self.zone("Europe/Berlin"), "Europe/Berlin", alsoRead: others).verify()
        try FormCheck([Self.zone("GMT")], ["GMT"]).verify()
    }

    @Test(arguments: ["Europe/Atlantis", "", "5", 5] as [PropertyListValue])
    func `another text is refused with an example`(stored: PropertyListValue) {
        let defaults = Defaults(InMemoryStore(["key": stored]))
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: Defaults.Key<TimeZone?>("key")) }
        #expect(stored == 5 || error.map { "\($0)" }?.contains("write it as Europe/Berlin") == true)
    }
}
