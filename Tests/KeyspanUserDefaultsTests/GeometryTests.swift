import Foundation
import KeyspanCore
import KeyspanUserDefaults
import Testing

/// Geometric values are stored so that a person can read them, and read from the forms of other libraries.
@Suite struct GeometryTests {
    private static func json(_ text: String) -> PropertyListValue { .data(Data(text.utf8)) }

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
        FormCheck([CGPoint(x: 1, y: 2)], [["x": 1.0, "y": 2.0]]),
        FormCheck(["a": [CGFloat(1)]], ["a": [1.0]]),
    ])
    func `a value has its numbers under the names of its properties`(_ check: FormCheck) throws {
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
        let defaults = Defaults(InMemoryStore(["key": stored]))
        let error = #expect(throws: Defaults.ReadError.self) {
            try defaults.storedValue(for: Defaults.Key<CGPoint?>("key"))
        }
        #expect(error?.cause.description == reason)
    }
}
