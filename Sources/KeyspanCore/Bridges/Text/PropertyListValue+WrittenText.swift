#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension PropertyListValue {
    /// The value as text that keys convert back where text may stand for values: see <doc:CoercingValues>.
    ///
    /// A collection is JSON text. `nil` for a value that no text stands for: a number that is not finite, a date without a text of RFC
    /// 3339, and a collection with one of these, with data or a date, or with more levels than readers of JSON text allow.
    package var writtenText: String? {
        switch self {
        case .string(let text): return text
        case .date(let date): return DateText.text(for: date.timeIntervalSinceReferenceDate)
        case .data(let data):
            return "<" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ">"
        case .boolean, .integer, .real, .array, .dictionary:
            var json = ""
            return appendJSON(to: &json, levels: 32) ? json : nil
        }
    }

    /// Appends the value as JSON text; `false` if it has none.
    private func appendJSON(to json: inout String, levels: Int) -> Bool {
        switch self {
        case .boolean(let value): json += value ? "true" : "false"
        case .integer(let integer): json += integer.description
        case .real(let real):
            guard real.isFinite else { return false }
            json += Self.json(of: real)
        case .string(let text): JSONForm.append(text, to: &json, escapingSlashes: false)
        case .date, .data: return false
        case .array(let elements):
            guard levels > 0 else { return false }
            json += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { json += "," }
                guard element.appendJSON(to: &json, levels: levels - 1) else { return false }
            }
            json += "]"
        case .dictionary(let members):
            guard levels > 0 else { return false }
            json += "{"
            for (index, member) in members.sortedByName().enumerated() {
                if index > 0 { json += "," }
                JSONForm.append(member.key, to: &json, escapingSlashes: false)
                json += ":"
                guard member.value.appendJSON(to: &json, levels: levels - 1) else { return false }
            }
            json += "}"
        }
        return true
    }

    private static func json(of real: Double) -> String {
        // Readers take a large whole number for an integer, so it has all digits: the shortest ones are those of another integer.
        guard abs(real) >= 0x1p53 else { return real.description }
        return Int64(exactly: real)?.description ?? UInt64(exactly: real)?.description ?? real.description
    }
}
