@_spi(StoreAuthors) import KeyspanCore
import LibFuzzer

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Checks the properties of the property-list readers and writers that hold for every document.
struct PropertyListCheck {
    let document: [UInt8]

    func run() {
        do throws(PropertyListDataError) {
            let value = try PropertyListData.parse(document)
            Fuzzing.check(!value.isNestedDeeper(), "a value was read that is nested too deep")
            for format in PropertyListFormat.allCases { checkRoundTrip(value, format) }
        } catch {
            checkPlace(of: error)
        }
        do throws(PropertyListDataError) {
            let table = try PropertyListData.parseTable(document)
            if PropertyListData.format(of: document) == .xml {
                Fuzzing.checkPlaces(in: table, of: document) { paths in
                    try PropertyListFileCodec(.xml).places(of: paths, in: table, document)?.map {
                        $0.map { ($0.line, $0.column) }
                    }
                }
            }
            let bytes = try? PropertyListData.encode(table, as: .binary)
            Fuzzing.check(
                bytes.map { (try? PropertyListData.parseTable($0)) == table } == true,
                "a table was written as another one"
            )
        } catch {
            checkPlace(of: error)
        }
    }

    private func checkRoundTrip(_ value: PropertyListValue, _ format: PropertyListFormat) {
        // Only XML cannot hold some values, and rounds dates.
        let held = try? PropertyListFileCodec(format).written(value, forKey: "key")
        Fuzzing.check(held != nil || format == .xml, "a value cannot be written")
        guard let held else { return }
        do {
            let written = try PropertyListData.encode(value, as: format)
            Fuzzing.check(PropertyListData.format(of: written) == format, "a document begins like another format")
            Fuzzing.check(try PropertyListData.parse(written) == held, "a value was written as another one")
        } catch {
            Fuzzing.check(false, "a value that was read cannot be written and read again: \(error)")
        }
    }

    /// Checks that the place of an error is in the document: a scalar or the end of a line, or a byte.
    private func checkPlace(of error: PropertyListDataError) {
        switch error.place {
        case .byte(let offset):
            Fuzzing.check((0...document.count).contains(offset), "the document has \(document.count) bytes: \(error)")
        case .text(let line, let column):
            let lines = document.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            guard lines.indices.contains(line - 1) else {
                return Fuzzing.check(false, "the text has \(lines.count) lines: \(error)")
            }
            // Every scalar has exactly one byte that is not a continuation byte.
            let columns = lines[line - 1].count { $0 & 0xC0 != 0x80 } + 1
            Fuzzing.check((1...columns).contains(column), "the line has \(columns) columns: \(error)")
        }
        for clause in [error.reason, error.remedy ?? "none"] {
            Fuzzing.check(
                !clause.isEmpty && !clause.hasSuffix("."),
                "a clause is empty or ends with a full stop: \(error)"
            )
        }
    }
}
