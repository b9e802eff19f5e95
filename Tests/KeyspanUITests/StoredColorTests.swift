import Foundation
import Keyspan
import Testing

@testable import KeyspanUI

@Suite struct StoredColorTests {
    private static let forms: [(StoredColor, PropertyListValue)] = [
        (.components([1, 0.5, 0, 0.25], space: "kCGColorSpaceSRGB"), ["kCGColorSpaceSRGB", [1.0, 0.5, 0.0, 0.25]]),
        (.components([0.5, 1], space: "kCGColorSpaceGenericGray"), ["kCGColorSpaceGenericGray", [0.5, 1.0]]),
        (.archive(Data([1, 2, 3])), .data(Data([1, 2, 3]))),
    ]

    @Test(arguments: forms)
    func `a color has the stored form that Defaults writes`(color: StoredColor, stored: PropertyListValue) throws {
        #expect(color.propertyListValue == stored)
        #expect(try StoredColor(stored) == color)
    }

    @Test func `whole numbers are components too`() throws {
        #expect(try StoredColor(["space", [1, 0, 0.5, 1]]) == .components([1, 0, 0.5, 1], space: "space"))
    }

    /// Stored values that are not colors, with a part of the message for each.
    private static let wrong: [(PropertyListValue, String)] = [
        ("red", "expected an array but found a string"),
        ([], "not 0 parts"),
        (["space", [1.0], "more"], "not 3 parts"),
        ([1, [1.0]], "expected a string"),
        (["space", "red"], "expected an array"),
        (["space", [1.0, "red"]], "expected a number"),
    ]

    @Test(arguments: wrong)
    func `a value that is not a color is an error that says why`(stored: PropertyListValue, reason: String) {
        #expect {
            try StoredColor(stored)
        } throws: { error in
            String(describing: error).contains(reason)
        }
    }

    @Test(arguments: [0, 2, 3, 5])
    func `components that do not fit the color space are an error`(count: Int) {
        let components = Array(repeating: 0.5, count: count)
        #expect(throws: ValueDecodingError.self) {
            try StoredColor.check(components, fit: 3, in: [])
        }
    }

    @Test func `components that fit the color space are none`() throws {
        try StoredColor.check([0, 0.5, 1, 1], fit: 3, in: [])
    }
}
