#if !canImport(Darwin)
/// Reads one part of a binary property list; every answer is `nil` where the bytes end too early or make no sense.
struct BinaryPartReader {
    /// The bytes from the part's first one to the end of all parts.
    var bytes: ArraySlice<UInt8>
    let referenceSize: Int
    /// The number by which each part is known.
    let numbers: [Int]

    /// The part at the beginning of the bytes.
    mutating func part() -> BinaryPropertyList.Part? {
        guard let marker = bytes.popFirst() else { return nil }
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0: return low == 0x8 || low == 0x9 ? .plain : nil
        case 0x1: return low <= 4 && take(1 << low) != nil ? .plain : nil
        case 0x2: return (2...3).contains(low) && take(1 << low) != nil ? .plain : nil
        case 0x3: return low == 0x3 && take(8) != nil ? .plain : nil
        case 0x4: return length(low).flatMap { take($0) } != nil ? .plain : nil
        case 0x5: return length(low).flatMap { take($0) }.flatMap(Self.plainText)
        case 0x6: return length(low).flatMap { $0 <= bytes.count ? take($0 * 2) : nil }.flatMap(Self.unicodeText)
        case 0x8: return low < 4 ? take(low + 1).flatMap(Self.number).map { .reference($0) } : nil
        case 0xA: return length(low).flatMap { references($0) }.map { .array($0) }
        case 0xD:
            guard let length = length(low), let names = references(length), let values = references(length) else {
                return nil
            }
            return .dictionary(names: names, values: values)
        default: return nil
        }
    }

    /// A whole number, its first byte the most significant; `nil` if it is larger than any size of data.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number <= UInt64(Int32.max) ? Int(number) : nil
    }

    /// How many bytes or parts belong to the part: it is in the marker, or else in a number after it.
    private mutating func length(_ low: Int) -> Int? {
        guard low == 0xF else { return low }
        guard let marker = bytes.popFirst(), marker >> 4 == 0x1, marker & 0x0F <= 3 else { return nil }
        return take(1 << Int(marker & 0x0F)).flatMap(Self.number)
    }

    private mutating func take(_ length: Int) -> ArraySlice<UInt8>? {
        guard length <= bytes.count else { return nil }
        defer { bytes.removeFirst(length) }
        return bytes.prefix(length)
    }

    private mutating func references(_ length: Int) -> [Int]? {
        guard length <= bytes.count else { return nil }
        var references: [Int] = []
        for _ in 0..<length {
            guard let number = take(referenceSize).flatMap(Self.number), number < numbers.count else { return nil }
            references.append(numbers[number])
        }
        return references
    }

    private static func plainText(_ bytes: ArraySlice<UInt8>) -> BinaryPropertyList.Part? {
        bytes.allSatisfy { $0 < 0x80 } ? .text(String(decoding: bytes, as: UTF8.self)) : nil
    }

    private static func unicodeText(_ bytes: ArraySlice<UInt8>) -> BinaryPropertyList.Part? {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return .text(String(decoding: units, as: UTF16.self))
    }
}
#endif
