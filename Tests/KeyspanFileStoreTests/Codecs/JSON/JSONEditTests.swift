import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// A text, the writes, and the text that they make of it.
///
/// In texts, `⏎` is a line feed, `␍` a carriage return, `⇥` a tab.
struct Edit: CustomTestStringConvertible {
    let text: String
    let writes: [(String, PropertyListValue?)]
    let result: String

    init(_ text: String, _ writes: [(String, PropertyListValue?)], _ result: String) {
        let plain = { (text: String) in
            text.replacing("⏎", with: "\n").replacing("␍", with: "\r").replacing("⇥", with: "\t")
        }
        (self.text, self.writes, self.result) = (plain(text), writes, plain(result))
    }

    var testDescription: String { "\(text.debugDescription) \(writes)" }

    func check(
        allowingComments allowsComments: Bool = true,
        naming: NestedNaming? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let document = try JSONDocument(Array(text.utf8), allowingComments: allowsComments)
        var table = PropertyListTable(document)
        table.naming = naming
        for (name, value) in writes { table[name] = value }
        let edited = try #require(JSONEditor.apply(table.writes, to: document, upTo: .max))
        #expect(String(decoding: edited.bytes, as: UTF8.self) == result, sourceLocation: location)
        var read = PropertyListTable(edited)
        read.naming = naming
        for (name, value) in writes { #expect(read[name] == value, sourceLocation: location) }
        #expect(read == table, sourceLocation: location)
        let problems = try edited.differencesFromItsText(table.writes, from: document)
        #expect(problems == [], sourceLocation: location)
    }
}

extension JSONDocument {
    /// The differences between a document that was made with an edit and the one that its text has, and between its size and
    /// the one that was foretold.
    fileprivate func differencesFromItsText(
        _ writes: [(key: String, value: PropertyListValue?)],
        from document: JSONDocument
    ) throws -> [String] {
        let read = try JSONDocument(bytes, allowingComments: allowsComments)
        guard count == read.count, placeCount == read.placeCount else { return ["the number of members"] }
        let isSameObject = index.object.open == read.index.object.open && index.object.close == read.index.object.close
        var problems = isSameObject ? [] : ["the object"]
        let (isSorted, isReadAsSorted) = (index.object.isSorted, read.index.object.isSorted)
        // With comments, an edit does not look for a new order.
        if isSorted != isReadAsSorted, isSorted || !allowsComments { problems.append("the order") }
        for place in 0..<read.placeCount {
            let (left, right) = (index.entries[place], read.index.entries[place])
            let key = read.key(at: place)
            let isSame =
                left.name == right.name && left.value == right.value && left.hash == right.hash
                && left.isNull == right.isNull && left.nameHasEscapes == right.nameHasEscapes
                && (left.keptNumber == nil) == (right.keptNumber == nil) && self.key(at: place).hasSameUTF8(as: key)
                && self.place(ofKey: key) == read.place(ofKey: key)
            if !isSame { problems.append("the entry of \(key)") }
        }
        if PropertyListTable(self) != PropertyListTable(read) { problems.append("the values") }
        let size = bytes.count
        let sizes = [size, size - 1].map { JSONEditor.size(of: document, applying: writes, upTo: $0) }
        // A document without a change needs no room.
        if self !== document, sizes != [size, nil] { problems.append("the size") }
        return problems
    }
}

/// A file that is saved keeps what a person wrote.
@Suite(.heavy) struct JSONEditTests {
    /// A naming with groups of keys.
    private static func naming(deepestCounts: Bool = false) -> NestedNaming {
        let keys = ["port", "tls.port", "tls.host", "tls.client.port", "tls.client.name", "log.level", "headers"]
        return NestedNaming(groups: GroupNames(of: keys), newNames: .likeOthers, deepestCounts: deepestCounts)
    }

    @Test(arguments: [
        // Order, blank lines, alignment and spelling stay.
        Edit(#"{⏎⇥"z" : 1.50,⏎⏎⏎⇥"a" : 1e3,   "m":[1,2]⏎}"#, [("a", 5)], #"{⏎⇥"z" : 1.50,⏎⏎⏎⇥"a" : 5,   "m":[1,2]⏎}"#),
        // A value that is written again as it is keeps its spelling.
        Edit(#"{"a": 1.50}"#, [("a", 1.5)], #"{"a": 1.50}"#),
        Edit(#"{"a": 1.50}"#, [("a", .integer(1))], #"{"a": 1}"#),
        // New members: sorted, at the end, alone.
        Edit(#"{⏎  "a": 1,⏎  "c": 2⏎}⏎"#, [("b", 0)], #"{⏎  "a": 1,⏎  "b": 0,⏎  "c": 2⏎}⏎"#),
        Edit(#"{⏎  "b": 1⏎}⏎"#, [("a", 0), ("c", 2)], #"{⏎  "a": 0,⏎  "b": 1,⏎  "c": 2⏎}⏎"#),
        Edit(#"{⏎    "z": 1,⏎    "a": 2⏎}"#, [("b", 0)], #"{⏎    "z": 1,⏎    "a": 2,⏎    "b": 0⏎}"#),
        Edit(#"{}"#, [("a", 0), ("b", [1])], #"{⏎  "a": 0,⏎  "b": [⏎    1⏎  ]⏎}"#),
        Edit(#" { } ⏎"#, [("a", 0)], #" {⏎  "a": 0⏎} ⏎"#),
        Edit(#"{"b":1,"c":2}"#, [("a", [1, 2])], #"{"a":[1,2],"b":1,"c":2}"#),
        Edit(#"{"b": 1}"#, [("c", ["x": 1, "y": []])], #"{"b": 1, "c": {"x": 1, "y": []}}"#),
        Edit(#"{ "b": 1, "c": 2 }"#, [("d", 3)], #"{ "b": 1, "c": 2, "d": 3 }"#),
        // Removed members.
        Edit(#"{⏎  "a": 1,⏎  "b": 2,⏎  "c": 3⏎}"#, [("b", nil)], #"{⏎  "a": 1,⏎  "c": 3⏎}"#),
        Edit(#"{⏎  "a": 1,⏎  "b": 2,⏎  "c": 3⏎}"#, [("a", nil)], #"{⏎  "b": 2,⏎  "c": 3⏎}"#),
        Edit(#"{⏎  "a": 1,⏎  "b": 2,⏎  "c": 3⏎}"#, [("c", nil)], #"{⏎  "a": 1,⏎  "b": 2⏎}"#),
        Edit(#"{⏎  "a": 1,⏎  "b": 2⏎}⏎"#, [("a", nil), ("b", nil)], #"{}⏎"#),
        Edit(#"{⏎  "a": 1,⏎  "b": 2⏎}⏎"#, [("a", nil), ("b", nil), ("c", 3)], #"{⏎  "c": 3⏎}⏎"#),
        Edit(#"{⏎  "b": 1,⏎  "c": 2⏎}"#, [("a", 0), ("b", nil)], #"{⏎  "a": 0,⏎  "c": 2⏎}"#),
        Edit(#"{⏎  "b": 1,⏎  "c": 2⏎}"#, [("a", 0), ("b", nil), ("c", 5)], #"{⏎  "a": 0,⏎  "c": 5⏎}"#),
        Edit(#"{⏎  "b": 1,⏎  "d": 2⏎}"#, [("b", nil), ("c", 3)], #"{⏎  "c": 3,⏎  "d": 2⏎}"#),
        // Values that were null.
        Edit(#"{"a": null, "b": 1}"#, [("a", 2)], #"{"a": 2, "b": 1}"#),
        Edit(#"{"a": null, "b": 1}"#, [("b", nil)], #"{"a": null}"#),
        Edit(#"{"a": null, "b": 1}"#, [("a", nil)], #"{"a": null, "b": 1}"#),
        // Nested values take the indentation and the line ends of the file.
        Edit(
            #"{␍⏎    "a": 1,␍⏎    "b": {}␍⏎}␍⏎"#,
            [("b", ["x": [1]])],
            #"{␍⏎    "a": 1,␍⏎    "b": {␍⏎        "x": [␍⏎            1␍⏎        ]␍⏎    }␍⏎}␍⏎"#
        ),
        // A list on one line stays on one line, and one on several lines on several.
        Edit(
            #"{⏎  "a": [1, 2],⏎  "b": [⏎    1⏎  ]⏎}"#,
            [("a", [3, ["x"]])],
            #"{⏎  "a": [3, ["x"]],⏎  "b": [⏎    1⏎  ]⏎}"#
        ),
        Edit(#"{⏎  "a": [⏎    1⏎  ]⏎}"#, [("a", [1, 2])], #"{⏎  "a": [⏎    1,⏎    2⏎  ]⏎}"#),
        // Names with escapes keep them.
        Edit(#"{"\u0061": 1, "b": 2}"#, [("a", 5), ("\"", 0)], #"{"\"": 0, "\u0061": 5, "b": 2}"#),
        Edit(#"\#u{FEFF}{"a": 1}"#, [("a", 2)], #"\#u{FEFF}{"a": 2}"#),
        Edit(#"\#u{FEFF}{"a": 1}"#, [("a", nil)], #"\#u{FEFF}{}"#),
    ])
    func `only the text of what changed is changed`(edit: Edit) throws {
        try edit.check(allowingComments: false)
    }

    @Test(arguments: [
        // Elements: changed, added, removed, moved.
        Edit(
            #"{"a": [⏎  1, // one⏎  2, // two⏎  3 // three⏎]}"#,
            [("a", [1, 5, 3])],
            #"{"a": [⏎  1, // one⏎  5, // two⏎  3 // three⏎]}"#
        ),
        Edit(
            #"{⏎  "a": [⏎    // First.⏎    1.50,⏎    2, // two⏎  ],⏎}"#,
            [("a", [1.5, 2, 3])],
            #"{⏎  "a": [⏎    // First.⏎    1.50,⏎    2, // two⏎    3,⏎  ],⏎}"#
        ),
        Edit(
            #"{⏎  "a": [⏎    1, // one⏎    2, // two⏎    3 // three⏎  ]⏎}"#,
            [("a", [1, 3])],
            #"{⏎  "a": [⏎    1, // one⏎    3 // three⏎  ]⏎}"#
        ),
        Edit(#"{"a": [ 1,2,  3 ]}"#, [("a", [2, 3, 1])], #"{"a": [ 2,  3,1 ]}"#),
        Edit(#"{"a": [ 1, 2, 3 ]}"#, [("a", [0, 1, 2, 2.5, 3])], #"{"a": [ 0, 1, 2, 2.5, 3 ]}"#),
        Edit(#"{"a": [/* none */]}"#, [("a", [1])], #"{"a": [/* none */⏎    1]}"#),
        Edit(#"{⏎  "a": [⏎    // none⏎  ]⏎}"#, [("a", [1])], #"{⏎  "a": [⏎    // none⏎    1⏎  ]⏎}"#),
        Edit(#"{"a": [1, /* two */ 2]}"#, [("a", [])], #"{"a": []}"#),
        // Members of values.
        Edit(
            #"{⏎  "a": {⏎    "z": 1, // z⏎    /* y */ "y": 2⏎  }⏎}"#,
            [("a", ["z": 3, "y": 2, "x": [1]])],
            #"{⏎  "a": {⏎    "z": 3, // z⏎    /* y */ "y": 2,⏎    "x": [⏎      1⏎    ]⏎  }⏎}"#
        ),
        Edit(
            #"{"a": {"b": {"c" :1e1, "d":null, "e":[1]}}}"#,
            [("a", ["b": ["c": 10.0, "d": 5]])],
            #"{"a": {"b": {"c" :1e1, "d":5}}}"#
        ),
        // Structures in a list: a new one looks like the others.
        Edit(
            #"{⏎  "a": [⏎    {"host": "a", "port": 1}, // first⏎    {"host": "b", "port": 2}⏎  ]⏎}"#,
            [("a", [["host": "a", "port": 1], ["host": "b", "port": 3], ["host": "c", "port": 4]])],
            #"{⏎  "a": [⏎    {"host": "a", "port": 1}, // first⏎    {"host": "b", "port": 3},⏎"#
                + #"    {"host": "c", "port": 4}⏎  ]⏎}"#
        ),
        Edit(
            #"{⏎⇥"a": [⏎⇥⇥{⏎⇥⇥⇥"host": "a" // first⏎⇥⇥}⏎⇥]⏎}"#,
            [("a", [["host": "a"], ["host": "b", "ports": [1]]])],
            #"{⏎⇥"a": [⏎⇥⇥{⏎⇥⇥⇥"host": "a" // first⏎⇥⇥},⏎⇥⇥{⏎⇥⇥⇥"host": "b",⏎⇥⇥⇥"ports": [⏎⇥⇥⇥⇥1⏎⇥⇥⇥]⏎⇥⇥}⏎⇥]⏎}"#
        ),
        // Objects that are other values, or become ones, are written as a whole.
        Edit(#"{"a": {"$data": "AA=="}}"#, [("a", ["$data": 1])], #"{"a": {"$data": 1}}"#),
        Edit(
            #"{"a": {"x": 1, "$real": "nan"}}"#,
            [("a", ["$real": "nan"])],
            #"{"a": {"$dictionary": {"$real": "nan"}}}"#
        ),
        Edit(#"{"a": {"$dictionary": {"b": 1, "c": 2}}}"#, [("a", ["b": 1])], #"{"a": {"b": 1}}"#),
        Edit(
            #"{"a": {"$dictionary": {"$dictionary": 5}}}"#,
            [("a", ["$dictionary": 6])],
            #"{"a": {"$dictionary": 6}}"#
        ),
    ])
    func `of a collection only the items that change are changed`(edit: Edit) throws {
        try edit.check()
    }

    @Test(arguments: [
        // In the place of the value, whatever its shape.
        Edit(#"{"tls": {"port": 1}, "a": 2}"#, [("tls.port", 5)], #"{"tls": {"port": 5}, "a": 2}"#),
        Edit(#"{"tls": {"client.port": 1}}"#, [("tls.client.port", 5)], #"{"tls": {"client.port": 5}}"#),
        // New keys: in the innermost object that is there, and in new ones.
        Edit(
            #"{⏎  "tls": {⏎    "port": 1⏎  }⏎}⏎"#,
            [("tls.host", "a"), ("tls.client.port", 2), ("log.level", "debug"), ("port", 80)],
            #"{⏎  "log": {⏎    "level": "debug"⏎  },⏎  "port": 80,⏎  "tls": {⏎    "client": {⏎"#
                + #"      "port": 2⏎    },⏎    "host": "a",⏎    "port": 1⏎  }⏎}⏎"#
        ),
        Edit(#"{}"#, [("tls.port", 1), ("tls.host", "a")], #"{⏎  "tls": {⏎    "host": "a",⏎    "port": 1⏎  }⏎}"#),
        Edit(#"{"tls.port": 1}"#, [("tls.host", "a")], #"{"tls.host": "a", "tls.port": 1}"#),
        Edit(
            #"{"tls": {"port": 1}, "a": 1, "tls.host": "a"}"#,
            [("log.level", "b")],
            #"{"tls": {"port": 1}, "a": 1, "tls.host": "a", "log": {"level": "b"}}"#
        ),
        // Removed keys leave their object.
        Edit(#"{⏎⇥"tls": {⏎⇥⇥"port": 1,⏎⇥⇥"host": 2⏎⇥}⏎}"#, [("tls.port", nil)], #"{⏎⇥"tls": {⏎⇥⇥"host": 2⏎⇥}⏎}"#),
        Edit(#"{"tls": {"port": 1}}"#, [("tls.port", nil)], #"{"tls": {}}"#),
        Edit(#"{⏎  "tls": {}⏎}"#, [("tls.port", 1)], #"{⏎  "tls": {⏎    "port": 1⏎  }⏎}"#),
        // A key that is not known, a value in the way of a group, and a part that would look like a tag.
        Edit(#"{"tls": {"port": 1}}"#, [("a.b", 1)], #"{"a.b": 1, "tls": {"port": 1}}"#),
        Edit(#"{"log": 5, "tls": {}}"#, [("log.level", "a")], #"{"log": 5, "log.level": "a", "tls": {}}"#),
        Edit(#"{"tls": {}}"#, [("tls.$data", "aGk=")], #"{"tls": {}, "tls.$data": "aGk="}"#),
        // Members with null stay in a dictionary that has no others.
        Edit(#"{"tls.port": {"old": null}}"#, [("tls.port", ["x": 1])], #"{"tls.port": {"old": null, "x": 1}}"#),
        Edit(#"{"tls.port": [{"old": null}]}"#, [("tls.port", [["x": 1]])], #"{"tls.port": [{"old": null, "x": 1}]}"#),
        Edit(#"{"tls.port": {"old": null}}"#, [("tls.port", ["old": 1])], #"{"tls.port": {"old": 1}}"#),
    ])
    func `a write goes where the value is, a new key where the others are`(edit: Edit) throws {
        try edit.check(naming: Self.naming())
    }

    @Test(arguments: [
        Edit(
            #"{⏎  // all⏎  "a": 1, // first⏎  "b": 2 // last⏎}"#,
            [("a", 5)],
            #"{⏎  // all⏎  "a": 5, // first⏎  "b": 2 // last⏎}"#
        ),
        Edit(
            #"{⏎  "a": 1, // first⏎  "b": 2 // last⏎}"#,
            [("c", 3)],
            #"{⏎  "a": 1, // first⏎  "b": 2, // last⏎  "c": 3⏎}"#
        ),
        Edit(
            #"{⏎  "a": 1, // first⏎  "b": 2, // last⏎}"#,
            [("c", 3)],
            #"{⏎  "a": 1, // first⏎  "b": 2, // last⏎  "c": 3,⏎}"#
        ),
        Edit(#"{⏎  // nothing⏎}"#, [("c", 3)], #"{⏎  // nothing⏎  "c": 3⏎}"#),
        Edit(#"{ /* nothing */ }"#, [("c", 3)], #"{ /* nothing */⏎  "c": 3⏎ }"#),
        Edit(#"{⏎  "a": 1,⏎  // of b⏎  "b": 2,⏎  "c": 3⏎}"#, [("b", nil)], #"{⏎  "a": 1,⏎  // of b⏎⏎  "c": 3⏎}"#),
        Edit(#"{⏎  // of a⏎  "a": 1⏎}"#, [("a", nil)], #"{⏎  // of a⏎}"#),
        Edit(#"{⏎  // of a⏎  "a": 1⏎}"#, [("a", nil), ("b", 2)], #"{⏎  "b": 2⏎  // of a⏎}"#),
        Edit(#"{"a": 1, /* x */ "b": 2}"#, [("b", nil)], #"{"a": 1}"#),
        Edit(#"{"a": 1, /* x */ "b": 2}"#, [("a", nil)], #"{/* x */ "b": 2}"#),
        Edit(
            #"{⏎  "tls": { // transport⏎    "port": 1 // usual⏎  }⏎}"#,
            [("tls.host", "a"), ("tls.port", 2)],
            #"{⏎  "tls": { // transport⏎    "port": 2, // usual⏎    "host": "a"⏎  }⏎}"#
        ),
        Edit(#"{"a": [1, // one⏎ 2,], "b": {/**/}}"#, [("c", 1)], #"{"a": [1, // one⏎ 2,], "b": {/**/}, "c": 1}"#),
        Edit(#"{⏎  "a": 1,⏎  "c": 3⏎} // end"#, [("a", nil), ("d", 4)], #"{⏎  "c": 3,⏎  "d": 4⏎} // end"#),
    ])
    func `comments stay`(edit: Edit) throws {
        try edit.check(naming: Self.naming())
    }

    @Test(arguments: [
        // On one line: behind the comment of the item before, and before that of the item behind.
        Edit(
            #"{⏎  "tls": {"cpu": 4 /* cores */}⏎}"#,
            [("tls.memory", 16)],
            #"{⏎  "tls": {"cpu": 4 /* cores */, "memory": 16}⏎}"#
        ),
        Edit(#"{ /* b */ "b": 2 }"#, [("a", 1)], #"{ /* b */ "b": 2, "a": 1 }"#),
        Edit(#"{"a": 1, /* a */ }"#, [("b", 2)], #"{"a": 1, /* a */ "b": 2, }"#),
        Edit(#"{"a": 1 // a⏎}"#, [("b", 2)], #"{"a": 1, // a⏎  "b": 2⏎}"#),
        Edit(#"{ "a": 1 , "b": 2 /* b */ }"#, [("c", 3)], #"{ "a": 1 , "b": 2 /* b */ , "c": 3 }"#),
        Edit(#"{"z": [1 /* one */]}"#, [("z", [1, 2])], #"{"z": [1 /* one */, 2]}"#),
        Edit(#"{"z": [/* two */ 2]}"#, [("z", [1, 2])], #"{"z": [1, /* two */ 2]}"#),
        Edit(
            #"{"z": [1 /* one */ , /* three */ 3]}"#,
            [("z", [1, 2, 3])],
            #"{"z": [1 /* one */ , 2, /* three */ 3]}"#
        ),
        // On several lines.
        Edit(
            #"{"z": [⏎  1, /* one⏎ */⏎  // three⏎  3⏎]}"#,
            [("z", [1, 2, 3])],
            #"{"z": [⏎  1, /* one⏎ */⏎  2,⏎  // three⏎  3⏎]}"#
        ),
        Edit(#"{"z": [⏎  // two⏎  2⏎]}"#, [("z", [1, 2])], #"{"z": [⏎  1,⏎  // two⏎  2⏎]}"#),
        Edit(
            #"{"z": [ // all⏎  // more⏎⏎  // two⏎  /* two */ 2⏎]}"#,
            [("z", [1, 2])],
            #"{"z": [ // all⏎  // more⏎⏎  1,⏎  // two⏎  /* two */ 2⏎]}"#
        ),
        Edit(#"{"z": [ // all⏎  2⏎]}"#, [("z", [1, 2])], #"{"z": [ // all⏎  1,⏎  2⏎]}"#),
        Edit(
            #"{"z": [⏎    1 // one⏎  , 3 // three⏎]}"#,
            [("z", [1, 2, 3])],
            #"{"z": [⏎    1 // one⏎  ,⏎    2, 3 // three⏎]}"#
        ),
        Edit(
            #"{"z": [␍⏎  1, // one␍⏎  // three␍⏎  3␍⏎]}"#,
            [("z", [1, 2, 3])],
            #"{"z": [␍⏎  1, // one␍⏎  2,␍⏎  // three␍⏎  3␍⏎]}"#
        ),
        // A removed item takes those on its line along.
        Edit(#"{"a": 1 /* a */, /* b */ "b": 2 /* b */, "c": 3}"#, [("b", nil)], #"{"a": 1 /* a */, "c": 3}"#),
        Edit(#"{"a": 1 /* a */, "b": 2 /* b */}"#, [("b", nil)], #"{"a": 1 /* a */}"#),
        Edit(#"{"a": 1 /* a */, "b": 2 /* b */}"#, [("a", nil), ("c", "x")], #"{"b": 2 /* b */, "c": "x"}"#),
        Edit(#"{⏎  "a": 1, // a⏎  "b": 2 // b⏎}"#, [("a", nil)], #"{⏎  "b": 2 // b⏎}"#),
        Edit(#"{⏎  "a": 1, // a⏎  "b": 2 // b⏎}"#, [("b", nil)], #"{⏎  "a": 1 // a⏎}"#),
        Edit(#"{"z": [1, // one⏎  2, // two⏎  3]}"#, [("z", [1, 3])], #"{"z": [1, // one⏎  3]}"#),
        Edit(
            #"{␍⏎  // b␍⏎  "b": 2, // b␍⏎  "c": 3␍⏎}"#,
            [("b", nil)],
            #"{␍⏎  // b␍⏎␍⏎  "c": 3␍⏎}"#
        ),
        // A member with a new name keeps its place.
        Edit(
            #"{⏎  "a": 1,⏎  // b⏎  "b": [ 1.50 ], // b⏎  "c": 3⏎}"#,
            [("b", nil), ("z", [1.5])],
            #"{⏎  "a": 1,⏎  // b⏎  "z": [ 1.50 ], // b⏎  "c": 3⏎}"#
        ),
    ])
    func `a comment stays with its member`(edit: Edit) throws {
        try edit.check(naming: Self.naming())
    }

    /// Each item is named or numbered as its comments are, so that each line shows whether they belong together.
    @Test(.seeded) func `whatever is added and removed, no comment gets to another item`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(300, thorough: 5_000, exhaustive: 50_000)) {
            var random = SeededGenerator(seed: seed)
            let (isArray, isOnOneLine) = (Bool.random(using: &random), Bool.random(using: &random))
            var numbers = Array((1...Int.random(in: 1...6, using: &random)).map { $0 * 10 })
            if Bool.random(using: &random) { numbers.shuffle(using: &random) }
            let item = { (number: Int) in isArray ? "\(number)" : "\"k\(number)\": \(number)" }
            let hasCommaAtEnd = Bool.random(using: &random)
            var text = ""
            for (index, number) in numbers.enumerated() {
                let comma = index < numbers.count - 1 || hasCommaAtEnd ? "," : ""
                let choices = (0..<3).map { _ in Bool.random(using: &random) }
                if isOnOneLine {
                    text +=
                        " \(choices[0] ? "/*\(number)*/ " : "")\(item(number))\(choices[1] ? " /*\(number)*/" : "")\(comma)"
                } else {
                    text += choices[2] ? "\n" : ""
                    text += choices[0] ? "  // \(number)\n" : ""
                    text +=
                        "  \(choices[2] ? "/* \(number) */" : "")\(item(number))\(comma)\(choices[1] ? " // \(number)" : "")\n"
                }
            }
            text = isOnOneLine ? text : "\n\(text)"
            text = isArray ? "{\"list\": [\(text)]}" : "{\(text)}"
            let document = try JSONDocument(Array(text.utf8), allowingComments: true)
            var (table, kept) = (PropertyListTable(document), numbers)
            let choices = isArray ? [Bool.random(using: &random)] : [true, false]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                if choices.randomElement(using: &random) == true {
                    if !kept.isEmpty { kept.remove(at: .random(in: 0..<kept.count, using: &random)) }
                } else {
                    kept.insert(.random(in: 101...999, using: &random), at: .random(in: 0...kept.count, using: &random))
                }
            }
            if isArray {
                table["list"] = .array(kept.map { .integer(.init($0)) })
            } else {
                for number in numbers where !kept.contains(number) { table["k\(number)"] = nil }
                for number in kept where !numbers.contains(number) { table["k\(number)"] = .integer(.init(number)) }
            }
            let edited = try #require(JSONEditor.apply(table.writes, to: document, upTo: .max))
            let result = String(decoding: edited.bytes, as: UTF8.self)
            let words = "seed \(seed): \(text) made \(result)"
            try #require(PropertyListTable(edited) == table, "\(words)")
            try #require(Self.misplacedComments(in: result) == [], "\(words)")
            let (before, after) = (text.split { !$0.isNumber }, result.split { !$0.isNumber })
            for number in kept where numbers.contains(number) {
                try #require(before.count { $0 == "\(number)" } == after.count { $0 == "\(number)" }, "\(words)")
            }
        }
    }

    /// The items that have the number of another one in a comment on their line or right above it.
    private static func misplacedComments(in text: String) -> [String] {
        var misplaced: [String] = []
        var above: Set<String> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var pieces = line.split(separator: ",").map(String.init)
            // A comment at the end of the line is that of the last item.
            if let last = pieces.last, pieces.count > 1, last.drop(while: { $0 == " " }).hasPrefix("//") {
                pieces.removeLast()
                pieces[pieces.count - 1] += last
            }
            let numbers = pieces.map { piece in Set(piece.split { !$0.isNumber }.map(String.init)) }
            misplaced += zip(pieces, numbers).filter { $1.count > 1 }.map(\.0)
            if line.drop(while: { $0 == " " }).hasPrefix("//") {
                above.formUnion(numbers.flatMap(\.self))
                continue
            }
            if let number = numbers.first?.first, !above.isEmpty, above != [number] { misplaced.append(String(line)) }
            above = []
        }
        return misplaced
    }

    @Test(arguments: [
        // A value in an object, next to others that keep their comments and lines.
        Edit(
            #"{⏎  "tls": {⏎    // ports⏎    "port": 1, // usual⏎⏎    "client": { "port" : 2 } /* inner */⏎  }⏎}"#,
            [("tls.client.port", 5)],
            #"{⏎  "tls": {⏎    // ports⏎    "port": 1, // usual⏎⏎    "client": { "port" : 5 } /* inner */⏎  }⏎}"#
        ),
        Edit(
            #"{⏎  "tls": { // all⏎    "client": {⏎      "port": 2, // client⏎    }⏎  }⏎}"#,
            [("tls.client.port", nil), ("tls.client.name", "a")],
            #"{⏎  "tls": { // all⏎    "client": {⏎      "name": "a",⏎    }⏎  }⏎}"#
        ),
        // A new member goes to its sorted place, or to the end.
        Edit(
            #"{⏎  // all⏎  "tls": {⏎    "a": 0,⏎    "port": 1⏎  }⏎}"#,
            [("tls.host", "a")],
            #"{⏎  // all⏎  "tls": {⏎    "a": 0,⏎    "host": "a",⏎    "port": 1⏎  }⏎}"#
        ),
        Edit(
            #"{"tls": { "port" : 1, "a" : 0 }}"#,
            [("tls.host", "a")],
            #"{"tls": { "port" : 1, "a" : 0, "host": "a" }}"#
        ),
        Edit(
            #"{⏎  "tls": {⏎    "port": 1,⏎  },⏎}"#,
            [("tls.host", "a")],
            #"{⏎  "tls": {⏎    "host": "a",⏎    "port": 1,⏎  },⏎}"#
        ),
        // A new object looks like its surroundings.
        Edit(
            #"{⏎  "tls": {"port": 1}⏎}"#,
            [("tls.client.port", 2), ("log.level", "a")],
            #"{⏎  "log": {⏎    "level": "a"⏎  },⏎  "tls": {"client": {"port": 2}, "port": 1}⏎}"#
        ),
        Edit(
            #"{⏎  "tls": { "port" : 1 }⏎}"#,
            [("tls.client.port", 2)],
            #"{⏎  "tls": { "client": {"port": 2}, "port" : 1 }⏎}"#
        ),
        Edit(
            #"{␍⏎⇥"tls": {␍⏎⇥⇥"port": 1 // one␍⏎⇥}␍⏎}"#,
            [("tls.client.port", 2)],
            #"{␍⏎⇥"tls": {␍⏎⇥⇥"port": 1, // one␍⏎⇥⇥"client": {␍⏎⇥⇥⇥"port": 2␍⏎⇥⇥}␍⏎⇥}␍⏎}"#
        ),
        Edit(
            #"{ "tls": {⏎            "port": 1⏎          } }"#,
            [("tls.host", "a")],
            #"{ "tls": {⏎            "host": "a",⏎            "port": 1⏎          } }"#
        ),
        Edit(#"{⏎  "tls": { }⏎}"#, [("tls.port", 1)], #"{⏎  "tls": {⏎    "port": 1⏎  }⏎}"#),
        Edit(#"{ "log": 1, "tls": {} }"#, [("tls.client.port", 1)], #"{ "log": 1, "tls": {"client": {"port": 1}} }"#),
        // An object stays when its last member goes, with its comments.
        Edit(#"{⏎  "tls": {⏎    "port": 1⏎  }⏎}"#, [("tls.port", nil)], #"{⏎  "tls": {}⏎}"#),
        Edit(
            #"{⏎  "tls": {⏎    // usual⏎    "port": 1⏎  }⏎}"#,
            [("tls.port", nil)],
            #"{⏎  "tls": {⏎    // usual⏎  }⏎}"#
        ),
        Edit(
            #"{⏎  "tls": {⏎    // usual⏎  }⏎}"#,
            [("tls.port", 1)],
            #"{⏎  "tls": {⏎    // usual⏎    "port": 1⏎  }⏎}"#
        ),
        // Members that were null, names with escapes, and names that would be tags if they were alone.
        Edit(#"{"tls": {"port": null}}"#, [("tls.port", 5)], #"{"tls": {"port": 5}}"#),
        Edit(#"{"tls": null}"#, [("tls.port", 5)], #"{"tls": {"port": 5}}"#),
        Edit(#"{"t\u006cs" : {"p\u006frt" : 443}}"#, [("tls.port", 5)], #"{"t\u006cs" : {"p\u006frt" : 5}}"#),
        Edit(
            #"{"tls": {/* a */ "$data": "aGk=", "port": 1}}"#,
            [("tls.port", 2)],
            #"{"tls": {/* a */ "$data": "aGk=", "port": 2}}"#
        ),
        Edit(
            #"{"tls": {/* a */ "$comment": "x"}}"#,
            [("tls.port", 2)],
            #"{"tls": {/* a */ "$comment": "x", "port": 2}}"#
        ),
        Edit(#"{"tls": {"$data": "aGk="}}"#, [("tls.port", 2)], #"{"tls": {"$data": "aGk="}, "tls.port": 2}"#),
    ])
    func `a nested object is treated like the whole file`(edit: Edit) throws {
        try edit.check(naming: Self.naming())
    }

    @Test func `the error of a comment without an end says how to end it`() {
        let text = Array("{\n  /* one\n  \"port\": 1\n}".utf8)
        let error = #expect(throws: JSONTextError.self) { try JSONDocument(text, allowingComments: true) }
        #expect(error?.description.hasPrefix("line 2, column 3: ") == true)
        #expect(error?.remedy == "end the comment with `*/`")
    }

    @Test(arguments: [
        (#"{"tls": {"port": 1}, "tls.port": 2}"#, "tls.port", 2),
        (#"{"tls.port": 2, "tls": {"port": 1}}"#, "tls.port", 2),
        (#"{"tls.client": {"port": 2}, "tls": {"client": {"port": 1}}}"#, "tls.client.port", 2),
        (#"{"tls": {"client": {"port": 1}, "client.port": 2}, "a": 1}"#, "tls.client.port", 2),
    ])
    func `of two places of a name a write changes the one that counts, and a removal removes both`(
        text: String,
        name: String,
        dotted: Int
    ) throws {
        for (deepestCounts, counting) in [(false, "\(dotted)"), (true, "1")] {
            let naming = Self.naming(deepestCounts: deepestCounts)
            let written = text.replacing(#"port": \#(counting)"#, with: #"port": 9"#)
            try Edit(text, [(name, 9)], written).check(naming: naming)
            let document = try JSONDocument(Array(text.utf8))
            var table = PropertyListTable(document)
            table.naming = naming
            table[name] = nil
            let removed = try #require(JSONEditor.apply(table.writes, to: document, upTo: .max))
            #expect(!String(decoding: removed.bytes, as: UTF8.self).contains("port"))
        }
    }

    @Test func `both lines of a name that is there twice are found`() throws {
        let text = Array("{\n\"tls\": {\n\"port\": 1\n},\n\"tls.port\": 2, \"tls.a\": 3}".utf8)
        let codec = JSONFileCodec()
        for (deepestCounts, lines) in [(false, [5, 3]), (true, [3, 5])] {
            var table = try codec.decode(text)
            table.naming = Self.naming(deepestCounts: deepestCounts)
            let found = codec.namesHeldTwice(in: table, of: text)
            #expect(found.map(\.key) == ["tls.port"])
            #expect(found.flatMap { [$0.countingLine, $0.otherLine] } == lines)
        }
    }

    @Test(arguments: [
        #"{"tls": {"port": 1}, "tls": {"host": "a"}}"#, #"{"tls": {"port": 1}, "tls": 5}"#, #"{"tls": 5, "tls": {}}"#,
        #"{"tls": {"port": 1, "port": 2}}"#, #"{"tls": {"client": {}, "client": 1}}"#, #"{"a": 1, "a": 2}"#,
        #"{"tls": {"client": {}, "c\u006cient": {}}}"#, #"{"tls": {"port": [1}}"#, #"{"tls": {"port": 1,, }}"#,
        #"{"tls": {"port": 1"#, #"{"tls": {/* "port": 1}}"#, #"{"tls": {/ "port": 1}}"#, #"{"a": 1,, }"#, #"{,}"#,
    ])
    func `one name twice in one object is an error`(text: String) {
        #expect(throws: JSONTextError.self) { try JSONDocument(Array(text.utf8), allowingComments: true) }
    }

    @Test(.seeded) func `a file that only stores write looks as if it were written at once`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(25, thorough: 1_000, exhaustive: 10_000)) {
            var (values, random) = (RandomValues(seed: seed), SeededGenerator(seed: seed))
            let codec = JSONFileCodec()
            var table = try codec.decode(JSONText.encode(PropertyListTable(values.dictionary(levels: 2))))
            for _ in 0..<6 {
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    let name = Bool.random(using: &random) ? table.sortedKeys.randomElement(using: &random) : nil
                    let isRemoved = Int.random(in: 0..<3, using: &random) == 0
                    table[name ?? values.string()] = isRemoved ? nil : values.value(levels: 2)
                }
                if Int.random(in: 0..<20, using: &random) == 0 { for name in table.sortedKeys { table[name] = nil } }
                let encoded = try #require(codec.encode(table, upTo: .max))
                try #require(encoded.bytes == JSONText.encode(table) && encoded.table == table, "seed \(seed)")
                table = encoded.table
            }
        }
    }

    /// The law of edits: what is not written stays, in its order; reading the text again agrees; and the size is the one that
    /// was foretold.
    @Test(.seeded) func `any text of a person keeps what is not written`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(100, thorough: 2_000, exhaustive: 50_000)) {
            var person = RandomPerson(seed: seed)
            var document = try JSONDocument(Array(person.file().utf8), allowingComments: person.allowsComments)
            for _ in 0..<6 {
                var table = PropertyListTable(document)
                table.naming = person.naming
                let changed = person.change(&table)
                let writes = table.writes
                let edited = try #require(JSONEditor.apply(writes, to: document, upTo: .max))
                let words = """
                    seed \(seed): \(writes) in
                    \(String(decoding: document.bytes, as: UTF8.self)) made
                    \(String(decoding: edited.bytes, as: UTF8.self))
                    """
                try #require(try edited.differencesFromItsText(writes, from: document) == [], "\(words)")
                try #require(PropertyListTable(edited) == table, "\(words)")
                let isKept = { (key: String) in table.entry(key) == document.value(forKey: key) }
                try #require(edited.members(where: isKept) == document.members(where: isKept), "\(words)")
                if !person.isWild {
                    let (before, after) = (ScannedText(document.bytes), ScannedText(edited.bytes))
                    // A removed item takes the comments on its line along.
                    let left = after.items.reduce(into: [[String]: Set<[UInt8]>]()) {
                        $0[$1.collection, default: []].insert($1.name)
                    }
                    let losing = Set(
                        before.items.filter { left[$0.collection]?.contains($0.name) != true }.map(\.collection)
                    )
                    let comments = before.comments.filter { comment in
                        !changed.mayLoseComment(at: comment.path) && !losing.contains(comment.path)
                            && !isReplaced(comment.path, in: table)
                    }.map(\.text)
                    try #require(after.comments.map(\.text).filter(comments.contains) == comments, "\(words)")
                    // All others are there once, in their order.
                    let items = before.scalars.filter {
                        !changed.contains($0.path) && $0.text != "null" && !isReplaced($0.path, in: table)
                    }.map(\.text)
                    try #require(after.scalars.map(\.text).filter(items.contains) == items, "\(words)")
                }
                document = edited
            }
        }
    }

    /// Whether a member is gone because a dictionary that was written has its name.
    private func isReplaced(_ path: [String], in table: PropertyListTable) -> Bool {
        guard let key = path.first else { return false }
        var value = table.entry(key)
        for name in path.dropFirst() {
            guard let present = value else { return true }
            guard case .dictionary(let members) = present else { return false }
            value = members[name]
        }
        return value == nil
    }
}

extension JSONDocument {
    /// The texts of some members.
    fileprivate func members(where isWanted: (String) -> Bool) -> [[UInt8]] {
        (0..<placeCount).filter { isWanted(key(at: $0)) }.map { place in
            Array(bytes[index.entries[place].start..<index.entries[place].end])
        }
    }
}
