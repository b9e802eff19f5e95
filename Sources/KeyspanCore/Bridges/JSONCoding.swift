#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Conversion between `Codable` values and JSON text, with errors that contain the path and no value.
@usableFromInline
enum JSONCoding {
    private static let decoder = JSONDecoder()

    static func encode(_ value: some Encodable) throws(ValueEncodingError) -> String {
        JSONForm.text(try CodableForm.json.encode(value))
    }

    /// Decodes a value from JSON text in a string or in data; any other kind is a type mismatch.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from stored: PropertyListValue
    ) throws(ValueDecodingError) -> Value {
        let text: Data =
            switch stored {
            case .string(let text): Data(text.utf8)
            case .data(let text): text
            default: throw .typeMismatch(expected: .string, found: stored)
            }
        guard !JSONTexts.areNestedTooDeep(text) else { throw .nestedTooDeep(stored) }
        let value: Value
        do {
            value = try decoder.decode(type, from: text)
        } catch let error as DecodingError {
            throw .unreadable(stored, reason: reason(for: error)).nested(under: error.codingPath)
        } catch {
            throw .unreadable(stored, reason: "its init(from:) threw \(Swift.type(of: error))")
        }
        if let error = lostText(of: value, from: text, stored) { throw error }
        return value
    }

    /// The error for a value that has dropped one of several texts that are equal to Swift, or names that make one integer.
    ///
    /// Neither `JSONDecoder` nor the types report what dictionaries and sets drop, but encoding the value shows it. That is
    /// necessary only in the rare case that the JSON has such texts.
    private static func lostText<Value>(of value: Value, from text: Data, _ stored: PropertyListValue)
        -> ValueDecodingError?
    {
        guard JSONTexts.mayMerge(text) else { return nil }
        let mergeable = JSONTexts(text).mergeable
        guard !mergeable.isEmpty, let value = value as? any Encodable, let encoded = try? encode(value),
            let (kept, lost) = JSONTexts(Data(encoded.utf8)).merged(of: mergeable)
        else { return nil }
        guard lost.isName else {
            return .unreadable(stored, reason: "a set in it takes a text for another one, whose bytes differ")
        }
        let name = lost.text.wrappedValue
        let error = ValueDecodingError.equalNames(name, of: stored, after: kept.text.wrappedValue)
        return lost.place.isOutermost ? error.nested(under: .name(name)) : error
    }

    /// Decodes a whole collection from JSON text in data, the form in which several libraries store `Codable` arrays.
    ///
    /// - Returns: `nil` for any other kind of value, or if the elements are not `Codable`.
    @usableFromInline
    static func decodeCollection<Value>(
        _ type: Value.Type,
        from stored: PropertyListValue
    ) throws(ValueDecodingError) -> Value? {
        guard case .data = stored, let type = type as? any Decodable.Type else { return nil }
        return try decode(type, from: stored) as? Value
    }

    /// The reason for text that is not JSON, or not the JSON of the type.
    static let invalidText = "it is not valid JSON of this type"

    private static func reason(for error: DecodingError) -> String {
        if case .dataCorrupted = error { return invalidText }
        return error.reason(in: "the JSON")
    }
}

/// The texts in JSON text, names included.
///
/// A decoded value does not show which names a dictionary has merged, and which elements a set.
struct JSONTexts {
    /// A place in JSON, the same for all elements of an array: values can only be merged with others in the same place.
    struct Place: Hashable {
        /// The hash of the names on the way to the object or array that has the text; 0 for the outermost one.
        ///
        /// The names themselves would be copied for each of the objects inside.
        let path: Int
        /// The name of the text's member; `nil` for an element of an array and for a name.
        let member: String?

        /// The path of an object or array in this place.
        var pathInside: Int {
            var hasher = Hasher()
            hasher.combine(path)
            hasher.combine(member)
            return hasher.finalize()
        }

        var isOutermost: Bool { path == 0 && member == nil }
    }

    /// One text.
    struct Entry {
        let text: UTF8Text
        let place: Place
        /// Whether it is the name of an object's member.
        let isName: Bool
    }

    /// Texts that a dictionary or a set may merge.
    struct Group: Hashable {
        enum Content: Hashable {
            case text(String), name(String), numeral(Int)
        }

        let place: Place
        let content: Content
    }

    /// The number of the texts of a group, and two that differ.
    typealias Spellings = (count: Int, first: Entry, other: Entry?)

    /// The texts in their order, with duplicates.
    private(set) var entries: [Entry] = []

    /// The member names of the outermost object.
    var outermostNames: [String] {
        entries.filter { $0.isName && $0.place.isOutermost }.map(\.text.wrappedValue)
    }

    /// Finds the texts in JSON that a decoder has accepted.
    init(_ json: Data) {
        let bytes = Self.utf8(of: json)
        var places: [Place] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let end = Self.end(ofString: index, in: bytes)
                let text = Self.text(bytes[index..<end])
                let isName = bytes[end...].first { !$0.isJSONSpace } == UInt8(ascii: ":")
                let place = places.last ?? Place(path: 0, member: nil)
                let container = Place(path: place.path, member: nil)
                entries.append(Entry(text: UTF8Text(text), place: isName ? container : place, isName: isName))
                if isName, !places.isEmpty { places[places.count - 1] = Place(path: place.path, member: text) }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                places.append(Place(path: places.last?.pathInside ?? 0, member: nil))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = places.popLast()
            default: break
            }
            index += 1
        }
    }

    /// Whether any texts are equal and differ in their bytes, wherever they are; cheaper than ``mergeable``.
    private var hasEqualTexts: Bool {
        var texts: [String: UTF8Text] = [:]
        texts.reserveCapacity(entries.count)
        return entries.contains { entry in
            let text = entry.text.wrappedValue
            if entry.isName, let number = Int(text), String(number) != text { return true }
            return texts.updateValue(entry.text, forKey: text).map { $0 != entry.text } ?? false
        }
    }

    /// The groups of texts that are equal to `String`, or as `Int`, and differ in their bytes.
    var mergeable: [Group: Spellings] {
        guard hasEqualTexts else { return [:] }
        var groups: [Group: Spellings] = [:]
        for entry in entries {
            for group in entry.groups {
                guard let (count, first, other) = groups[group] else {
                    groups[group] = (1, entry, nil)
                    continue
                }
                groups[group] = (count + 1, first, other ?? (first.text == entry.text ? nil : entry))
            }
        }
        return groups.filter { $0.value.other != nil }
    }

    /// Whether an object has names that are equal to `String` and differ in their bytes.
    var mergesNames: Bool {
        mergeable.keys.contains { group in
            if case .name = group.content { true } else { false }
        }
    }

    /// Two texts of other JSON of which this JSON, made from the decoded value, has fewer.
    ///
    /// A group of which it has nothing is in a member that the type does not know.
    func merged(of mergeable: [Group: Spellings]) -> (kept: Entry, lost: Entry)? {
        var counts: [Group: Int] = [:]
        for entry in entries {
            for group in entry.groups where mergeable[group] != nil {
                counts[group, default: 0] += 1
            }
        }
        for (group, spellings) in mergeable {
            guard let count = counts[group], count < spellings.count, let other = spellings.other else { continue }
            return (spellings.first, other)
        }
        return nil
    }

    /// Whether JSON may have texts that a dictionary or a set merges.
    ///
    /// Names that make one integer need one in an unusual form, such as "01". Texts that are equal to `String` and differ need a
    /// combining mark, or one of the characters that Unicode replaces by others. These are above U+0300, and not among Cyrillic
    /// letters below U+0480 and Chinese characters, so JSON in many languages is not looked at further.
    static func mayMerge(_ json: Data) -> Bool {
        json.withUnsafeBytes { bytes in
            var last: UInt8 = 0
            for byte in bytes {
                switch byte {
                // Text in UTF-16 and UTF-32 has bytes of zero.
                case 0: return true
                // U+0400 to U+047F and U+4000 to U+9FFF.
                case 0xD0, 0xD1, 0xE4...0xE9: break
                case 0xCC...0xFF: return true
                default: break
                }
                switch (last, byte) {
                case (UInt8(ascii: "\\"), UInt8(ascii: "u")): return true
                case (UInt8(ascii: "\""), UInt8(ascii: "0")), (UInt8(ascii: "\""), UInt8(ascii: "+")),
                    (UInt8(ascii: "\""), UInt8(ascii: "-")):
                    return true
                default: last = byte
                }
            }
            return false
        }
    }

    /// Whether JSON has more levels than an encoder writes.
    ///
    /// A type that contains itself takes a part of the stack for each level, and a decoder allows more levels than the stack of a thread.
    static func areNestedTooDeep(_ json: Data) -> Bool {
        let limit = CodableForm.json.maximumLevels
        let openings = json.withUnsafeBytes { $0.count { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } }
        guard openings > limit else { return false }
        let bytes = utf8(of: json)
        var (levels, index) = (0, 0)
        while index < bytes.count, levels <= limit {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = end(ofString: index, in: bytes)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): levels += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): levels -= 1
            default: break
            }
            index += 1
        }
        return levels > limit
    }

    /// The JSON in UTF-8, from any of the encodings that a decoder accepts.
    private static func utf8(of json: Data) -> [UInt8] {
        let start = Array(json.prefix(4))
        guard start.count == 4 else { return Array(json) }
        let encoding: String.Encoding? =
            switch (start[0], start[1], start[2], start[3]) {
            case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): .utf32
            case (0xFF, 0xFE, _, _), (0xFE, 0xFF, _, _): .utf16
            case (0, 0, 0, _): .utf32BigEndian
            case (_, 0, 0, 0): .utf32LittleEndian
            case (0, _, _, _): .utf16BigEndian
            case (_, 0, _, _): .utf16LittleEndian
            default: nil
            }
        guard let encoding, let text = String(data: json, encoding: encoding) else { return Array(json) }
        return Array(text.utf8)
    }

    /// The index after the closing quotation mark of a string.
    static func end(ofString start: Int, in bytes: [UInt8]) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    /// The text of a string with its quotation marks.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else {
            return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
        }
        return (try? JSONDecoder().decode(String.self, from: Data(bytes))) ?? ""
    }
}

extension JSONTexts.Entry {
    /// The groups of texts that may be merged with this one.
    fileprivate var groups: [JSONTexts.Group] {
        let text = text.wrappedValue
        guard isName else { return [JSONTexts.Group(place: place, content: .text(text))] }
        let name = JSONTexts.Group(place: place, content: .name(text))
        return Int(text).map { [name, JSONTexts.Group(place: place, content: .numeral($0))] } ?? [name]
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
