import Foundation
import Testing

@testable import KeyspanRemote

@Suite
struct DocumentTagTests {
    private static let state = "0123456789abcdef0123456789abcdef"

    private func tag(revision: Int64 = 7, issued: Double = 12.5, key: String = "k-1") throws -> DocumentTag {
        let state = try #require(SettingsState(Self.state.utf8))
        return DocumentTag(state, issued: Date(timeIntervalSince1970: issued), revision: revision, keyID: key)
    }

    @Test func `a tag has the state, the time, the revision and the key of its document`() throws {
        let tag = try tag()
        #expect(tag.text == "\(Self.state).12.7.k-1" && tag.entityTag == "\"\(tag.text)\"")
        let read = try #require(DocumentTag(tag.text[...]))
        #expect(read.text == tag.text && read.isEquivalent(to: tag) && read.hasSameValues(as: tag))
        #expect(try self.tag(issued: -1).text == "\(Self.state).0.7.k-1")
    }

    @Test func `tags that differ in the revision are equivalent, and those of another time have the same values`()
        throws
    {
        let tag = try tag()
        #expect(try tag.isEquivalent(to: self.tag(revision: 8)))
        let later = try self.tag(issued: 13)
        #expect(!tag.isEquivalent(to: later) && tag.hasSameValues(as: later))
        let other = try self.tag(key: "k-1.2")
        #expect(!tag.isEquivalent(to: other) && !tag.hasSameValues(as: other))
        #expect(try DocumentTag(other.text[...])?.isEquivalent(to: self.tag(revision: 0, key: "k-1.2")) == true)
    }

    @Test(arguments: [
        "", "*", state, "\(state).1.2", "\(state).1.2.", "\(state)..2.k", "\(state).1..k", "\(state).-1.2.k",
        "\(state).1.+2.k",
        "\(state).1.2.k/", "\(state).1.2.k ", "\"\(state).1.2.k\"", "\(state)0.1.2.k", "\(state.dropLast()).1.2.k",
        "\(state.uppercased()).1.2.k", "\(state).12345678901234567890.2.k", "\(state).1.12345678901234567890.k",
        "\(state).\u{661}.2.k", "\(state).1.2.\(String(repeating: "k", count: 65))",
    ])
    func `text that is no tag of a document is not read`(_ text: String) {
        #expect(DocumentTag(text[...]) == nil)
    }

    @Test(arguments: [
        ("", 0), ("*", 0), ("\"a\"", 0), ("\"", 0), ("\"\"\"", 0), ("\"\(state).1.2.k\"", 1),
        ("W/\"\(state).1.2.k\"", 1),
        ("\"a\", W/\"\(state).1.2.k\" ,\"\(state).1.3.k\",\"\"", 2), ("\"a,\(state).1.2.k\"", 0), ("\(state).1.2.k", 0),
    ])
    func `the tags of a condition are those in quotation marks`(_ conditions: String, _ count: Int) {
        #expect(Array(DocumentTag.all(in: conditions)).count == count)
    }
}
