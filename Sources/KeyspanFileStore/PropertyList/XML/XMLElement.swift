/// The elements that property lists are made of.
enum XMLElement: Equatable, CustomStringConvertible {
    case plist, dict, key, array, string, integer, real, `true`, `false`, date, data

    /// The element of that name.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        guard let candidate = Self.candidate(for: name) else { return nil }
        guard candidate.name.withUTF8Buffer(name.elementsEqual) else { return nil }
        self = candidate
    }

    /// Its name.
    var name: StaticString {
        switch self {
        case .plist: "plist"
        case .dict: "dict"
        case .key: "key"
        case .array: "array"
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .true: "true"
        case .false: "false"
        case .date: "date"
        case .data: "data"
        }
    }

    var description: String { name.description }

    /// The only element that may have a name of these letters.
    private static func candidate(for name: UnsafeBufferPointer<UInt8>) -> XMLElement? {
        switch (name.count, name.first) {
        case (3, UInt8(ascii: "k")): .key
        case (4, UInt8(ascii: "d")) where name[1] == UInt8(ascii: "i"): .dict
        case (4, UInt8(ascii: "d")): name[3] == UInt8(ascii: "e") ? .date : .data
        case (4, UInt8(ascii: "r")): .real
        case (4, UInt8(ascii: "t")): .true
        case (5, UInt8(ascii: "f")): .false
        case (5, UInt8(ascii: "a")): .array
        case (5, UInt8(ascii: "p")): .plist
        case (6, UInt8(ascii: "s")): .string
        case (7, UInt8(ascii: "i")): .integer
        default: nil
        }
    }
}
