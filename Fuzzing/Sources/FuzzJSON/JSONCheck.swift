@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import LibFuzzer

/// Checks the properties of the JSON reader and writer that hold for every text.
struct JSONCheck {
    let text: [UInt8]

    func run() {
        do throws(JSONTextError) {
            checkRoundTrip(try JSONText.parse(text))
        } catch {
            checkPlace(of: error)
        }
        do throws(JSONTextError) {
            checkRoundTrip(try JSONText.parseTable(text))
        } catch {
            checkPlace(of: error)
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
