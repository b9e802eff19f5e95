import Foundation
import KeyspanCore
import KeyspanUserDefaults
import Testing

/// A value, the form that is written for it, and the forms that are read as it.
struct FormCheck: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let verify: @Sendable () throws -> Void

    init<Value: Defaults.Serializable & Equatable & Sendable>(
        _ value: Value,
        _ written: PropertyListValue,
        alsoRead forms: [PropertyListValue] = []
    ) {
        testDescription = "\(Value.self): \(written)"
        verify = { () throws in
            let store = InMemoryStore()
            try Defaults(store).set(value, for: Defaults.Key<Value?>("key"))
            #expect(store.value(forKey: "key") == written)
            for form in [written] + forms {
                let defaults = Defaults(InMemoryStore(["key": form]))
                #expect(try defaults.storedValue(for: Defaults.Key<Value?>("key")) == value, "\(form)")
            }
        }
    }
}

/// Types of full Foundation are stored so that a person can read them, and read from the forms of other libraries.
@Suite struct StandardFormTests {
    private static func json(_ text: String) -> PropertyListValue { .data(Data(text.utf8)) }

    private static let berlin = #"{"identifier":"Europe/Berlin"}"#

    @Test(arguments: [
        FormCheck(CGFloat(0.5), 0.5), FormCheck(CGFloat(2), 2.0, alsoRead: [2]),
        FormCheck(
            CGPoint(x: 1, y: 2.5),
            ["x": 1.0, "y": 2.5],
            alsoRead: [["x": 1, "y": 2.5], [1, 2.5], "[1,2.5]", json("[1,2.5]")]
        ),
        FormCheck(
            CGSize(width: 3, height: 4),
            ["width": 3.0, "height": 4.0],
            alsoRead: [[3, 4], "[3,4]", json("[3,4]")]
        ),
        FormCheck(
            CGRect(x: 1, y: 2, width: 3, height: 4),
            ["origin": ["x": 1.0, "y": 2.0], "size": ["width": 3.0, "height": 4.0]],
            alsoRead: [[[1, 2], [3, 4]], "[[1,2],[3,4]]", json("[[1,2],[3,4]]")]
        ),
        FormCheck([CGPoint(x: 1, y: 2)], [["x": 1.0, "y": 2.0]]), FormCheck(["a": [CGFloat(1)]], ["a": [1.0]]),
    ])
    func `a geometric value has its numbers under the names of its properties`(_ check: FormCheck) throws {
        try check.verify()
    }

    #if canImport(CoreGraphics)
    @Test(arguments: [
        FormCheck(CGVector(dx: 1, dy: 2), ["dx": 1.0, "dy": 2.0], alsoRead: [[1, 2], "[1,2]"]),
        FormCheck(
            CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6),
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            alsoRead: ["[1,2,3,4,5,6]"]
        ),
    ])
    func `the types that only Apple systems have are stored alike`(_ check: FormCheck) throws {
        try check.verify()
    }
    #endif

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
        FormCheck(
            TimeZone(identifier: "Europe/Berlin"),
            "Europe/Berlin",
            alsoRead: [.string(berlin), ["identifier": "Europe/Berlin"], json(berlin)]
        ),
        FormCheck([TimeZone.gmt], ["GMT"]),
    ])
    func `a locale and a time zone are stored as their identifiers`(_ check: FormCheck) throws {
        try check.verify()
    }

    /// The error of reading a form as a value.
    private func error<Value: Defaults.Serializable>(reading stored: PropertyListValue, as _: Value.Type) -> String? {
        let defaults = Defaults(InMemoryStore(["key": stored]))
        let error = #expect(throws: Defaults.ReadError.self) {
            try defaults.storedValue(for: Defaults.Key<Value?>("key"))
        }
        return error?.cause.description
    }

    @Test(
        arguments: [
            (["x": 1.0], "found a dictionary that cannot be read: it does not have the numbers of a CGPoint"),
            (["x": 1.0, "y": "2"], "expected a number but found a string (at .y)"),
            ([1.0], "found an array that cannot be read: it has only 1 elements"),
            ("point", "found a string that cannot be read: it is not valid JSON of this type"),
            (true, "expected an array but found a boolean"),
        ] as [(PropertyListValue, String)]
    )
    func `what makes no point is refused with the reason`(stored: PropertyListValue, reason: String) {
        #expect(error(reading: stored, as: CGPoint.self) == reason)
    }

    @Test func `another text than the identifier of a time zone is refused with an example, another kind too`() {
        for text in ["Europe/Atlantis", "", "5"] as [PropertyListValue] {
            #expect(error(reading: text, as: TimeZone.self)?.contains("write it as Europe/Berlin") == true)
        }
        _ = error(reading: 5, as: TimeZone.self)
        _ = error(reading: 1, as: Locale.self)
    }
}
