import Foundation
import KeyspanCore
import KeyspanUserDefaults
import Testing

/// A locale is stored as its identifier.
@Suite struct LocaleTests {
    private static func json(_ text: String) -> PropertyListValue { .data(Data(text.utf8)) }

    @Test(arguments: [
        FormCheck(
            Locale(identifier: "de_DE"),
            "de_DE",
            alsoRead: [
                json(#"{"identifier":"de_DE","current":0}"#), #"{"identifier":"de_DE"}"#, ["identifier": "de_DE"],
            ]
        ),
        FormCheck(Locale(identifier: "zh-Hant-TW"), "zh-Hant-TW"),
        // No identifier, but one that Foundation takes.
        FormCheck(Locale(identifier: "{x"), #"{"current":0,"identifier":"{x"}"#),
        FormCheck(
            Locale(identifier: #"{"identifier":"de"}"#),
            #"{"current":0,"identifier":"{\"identifier\":\"de\"}"}"#
        ),
        FormCheck(Locale(identifier: "{\u{301}x"), .string(#"{"current":0,"identifier":"{\#u{301}x"}"#)),
        FormCheck([Locale(identifier: "en_US@calendar=buddhist")], ["en_US@calendar=buddhist"]),
    ])
    func `a locale is stored as its identifier`(_ check: FormCheck) throws {
        try check.verify()
    }

    @Test func `another kind is refused`() {
        let defaults = Defaults(InMemoryStore(["key": 1]))
        #expect(throws: Defaults.ReadError.self) { try defaults.storedValue(for: Defaults.Key<Locale?>("key")) }
    }
}
