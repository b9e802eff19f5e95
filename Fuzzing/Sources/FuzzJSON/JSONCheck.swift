import LibFuzzer

@_spi(StoreAuthors) @testable import KeyspanCore
@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Checks the properties of the JSON readers and writers that hold for every text.
struct JSONCheck {
    let text: [UInt8]

    func run() {
        checkNestedDocument()
        do throws(JSONTextError) {
            checkRoundTrip(try JSONText.parse(text))
        } catch {
            checkPlace(of: error)
        }
        do throws(JSONTextError) {
            let table = try JSONText.parseTable(text)
            checkRoundTrip(table)
            Fuzzing.checkPlaces(in: table, of: text) { paths in
                try JSONFileCodec().places(of: paths, in: table, text)?.map { $0.map { ($0.line, $0.column) } }
            }
            checkDocument(of: table)
        } catch {
            checkPlace(of: error)
            checkFirstMember(of: error)
            checkRefusal(with: error)
        }
    }

    /// Checks that the reader that only looks for the members refuses the text for the same reason.
    private func checkRefusal(with expected: JSONTextError) {
        do throws(JSONTextError) {
            _ = try JSONDocument(text)
            Fuzzing.check(false, "a document was made of a text that is refused: \(expected)")
        } catch {
            Fuzzing.check(error == expected, "a document is refused with another error: \(error) and \(expected)")
        }
    }

    /// Checks that a repeated name comes with the line of the first one.
    private func checkFirstMember(of error: JSONTextError) {
        guard error.found == "the same name again" else { return }
        let line = error.remedy.flatMap { $0.firstMatch(of: #/^the first one is in line (\d+):/#) }.flatMap {
            Int($0.1)
        }
        Fuzzing.check(line.map { (1...error.line).contains($0) } == true, "no first member: \(error)")
    }

    /// Checks that a document has the same members, and that edits of it change nothing else.
    private func checkDocument(of table: PropertyListTable) {
        guard let document = try? JSONDocument(text) else {
            return Fuzzing.check(false, "no document was made of a valid text")
        }
        Fuzzing.check(PropertyListTable(document) == table, "a document has other values")
        let keys = table.sortedKeys
        // The text decides on the edits, so that the fuzzer can look for those that matter.
        var edited = PropertyListTable(document)
        for (number, key) in keys.enumerated() where text[number * 7 % text.count].isMultiple(of: 3) {
            edited[key] = text[number].isMultiple(of: 2) ? nil : [1, "edited"]
        }
        if let last = text.last(where: { $0 > 0x20 && $0 < 0x7F }) {
            edited[String(UnicodeScalar(last))] = true
        }
        guard let result = JSONEditor.apply(edited.writes, to: document, upTo: .max) else {
            return Fuzzing.check(false, "an edit found no room")
        }
        do throws(JSONTextError) {
            let again = try JSONText.parseTable(result.bytes)
            Fuzzing.check(again == edited, "an edited text has other values")
            Fuzzing.check(PropertyListTable(result) == edited, "an edited document has other values")
            let read = try JSONDocument(result.bytes)
            let places = { (document: JSONDocument) in document.index.entries.map { [$0.name, $0.value] } }
            Fuzzing.check(places(read) == places(result), "an edited document has members in other places")
        } catch {
            Fuzzing.check(false, "an edited text cannot be read: \(error)")
        }
    }

    /// Checks that edits of a text with comments, some of them inside of its objects, change nothing else.
    private func checkNestedDocument() {
        guard let document = try? JSONDocument(text, allowingComments: true) else { return }
        var table = PropertyListTable(document)
        var names: [String] = []
        for (key, value) in table {
            names.append(key)
            guard case .dictionary(let members) = value else { continue }
            for (member, value) in members {
                names.append("\(key).\(member)")
                guard case .dictionary(let members) = value else { continue }
                names += members.keys.map { "\(key).\(member).\($0)" }
            }
        }
        names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        table.naming = NestedNaming(groups: GroupNames(of: names))
        var edited = table
        for (number, name) in names.enumerated() where text[number * 5 % text.count].isMultiple(of: 3) {
            edited[name] = text[number % text.count].isMultiple(of: 2) ? nil : [1, "edited"]
        }
        for name in names.prefix(3) { edited["\(name).new"] = true }
        guard let result = JSONEditor.apply(edited.writes, to: document, upTo: .max) else {
            return Fuzzing.check(false, "an edit found no room")
        }
        Fuzzing.check(PropertyListTable(result) == edited, "an edited document has other values")
        do throws(JSONTextError) {
            let read = try JSONDocument(result.bytes, allowingComments: true)
            Fuzzing.check(PropertyListTable(read) == edited, "an edited text has other values")
            let places = { (document: JSONDocument) in document.index.entries.map { [$0.name, $0.value] } }
            Fuzzing.check(places(read) == places(result), "an edited document has entries in other places")
        } catch {
            Fuzzing.check(false, "an edited text cannot be read: \(error)")
        }
    }

    private func checkRoundTrip(_ value: PropertyListValue) {
        Fuzzing.check(!value.isNestedDeeper(), "a value was read that is nested too deep")
        do {
            let written = try JSONText.encode(value)
            let again = try JSONText.parse(written)
            Fuzzing.check(again == value, "a value was written as another one")
            Fuzzing.check(try JSONText.encode(again) == written, "a value is not always written alike")
        } catch {
            Fuzzing.check(false, "a value that was read cannot be written and read again: \(error)")
        }
    }

    private func checkRoundTrip(_ table: PropertyListTable) {
        let written = JSONText.encode(table)
        do throws(JSONTextError) {
            let again = try JSONText.parseTable(written)
            Fuzzing.check(again == table, "a table was written as another one")
            Fuzzing.check(JSONText.encode(again) == written, "a table is not always written alike")
        } catch {
            Fuzzing.check(false, "a table that was read cannot be written and read again: \(error)")
        }
    }

    /// Checks that the place of an error is in the text: a scalar, or the end of a line.
    private func checkPlace(of error: JSONTextError) {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(error.line - 1) else {
            return Fuzzing.check(false, "the text has \(lines.count) lines: \(error)")
        }
        // Every scalar has exactly one byte that is not a continuation byte.
        let columns = lines[error.line - 1].count { $0 & 0xC0 != 0x80 } + 1
        Fuzzing.check((1...columns).contains(error.column), "the line has \(columns) columns: \(error)")
        for clause in [error.expected, error.found, error.remedy ?? "none"] {
            Fuzzing.check(
                !clause.isEmpty && !clause.hasSuffix("."),
                "a clause is empty or ends with a full stop: \(error)"
            )
        }
    }
}
