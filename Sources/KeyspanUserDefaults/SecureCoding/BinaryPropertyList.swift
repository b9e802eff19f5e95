#if !canImport(Darwin)
internal import Foundation

/// The parts of a binary property list, each by its number, checked so that Foundation on Linux can read it.
///
/// Foundation there ends the program for some damaged lists. So this takes only what is whole: every part lies between header
/// and table and refers to parts that there are, none is in itself, and the names in a dictionary are different texts.
///
/// - SeeAlso: The description of the format in `CFBinaryPList.c`, which Apple published with CoreFoundation.
struct BinaryPropertyList {
    /// One part.
    enum Part {
        case text(String)
        /// A reference to an object of a keyed archive, by its index.
        case reference(Int)
        /// The numbers of the elements.
        case array([Int])
        /// The numbers of the names and of the values.
        case dictionary(names: [Int], values: [Int])
        /// A number, a truth value, a date or data.
        case plain

        /// The parts in this one.
        var inner: [Int] {
            switch self {
            case .array(let elements): elements
            case .dictionary(let names, let values): names + values
            case .text, .reference, .plain: []
            }
        }
    }

    private static let headerSize = 8
    private static let trailerSize = 32
    private static let maximumDepth = 128

    let parts: [Part]

    /// The number of the part that holds all others.
    let top: Int

    /// Reads a list, or answers `nil` if it is not whole.
    init?(_ data: Data) {
        let bytes = [UInt8](data)
        guard bytes.starts(with: Array("bplist00".utf8)), bytes.count >= Self.headerSize + Self.trailerSize else {
            return nil
        }
        let trailer = bytes.count - Self.trailerSize
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        guard
            (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = BinaryPartReader.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let top = BinaryPartReader.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = BinaryPartReader.number(bytes[(trailer + 24)...]),
            table > Self.headerSize, table < trailer, top < count, count <= trailer - table,
            count * offsetSize == trailer - table
        else { return nil }
        let body = bytes[Self.headerSize..<table]
        var parts: [Part] = []
        for start in stride(from: table, to: trailer, by: offsetSize) {
            guard let offset = BinaryPartReader.number(bytes[start..<(start + offsetSize)]),
                body.contains(index: offset)
            else { return nil }
            var reader = BinaryPartReader(bytes: body[offset...], referenceSize: referenceSize, count: count)
            guard let part = reader.part() else { return nil }
            parts.append(part)
        }
        self.parts = parts
        self.top = top
        var heights: [Int: Int] = [:]
        guard parts.allSatisfy(hasDistinctNames), height(of: top, depth: 0, &heights) != nil else { return nil }
    }

    /// The text that a part is.
    func text(_ number: Int) -> String? {
        if case .text(let text) = parts[number] { text } else { nil }
    }

    /// The number of a value in a dictionary.
    func value(of name: String, in number: Int) -> Int? {
        guard case .dictionary(let names, let values) = parts[number] else { return nil }
        return zip(names, values).first { text($0.0) == name }?.1
    }

    private func hasDistinctNames(_ part: Part) -> Bool {
        guard case .dictionary(let names, _) = part else { return true }
        let texts = names.compactMap(text)
        return Set(texts).count == names.count
    }

    /// How many levels a part has; `nil` if they are too many, as those of a part in itself are.
    private func height(of number: Int, depth: Int, _ heights: inout [Int: Int]) -> Int? {
        if let height = heights[number] { return depth + height <= Self.maximumDepth ? height : nil }
        guard depth < Self.maximumDepth else { return nil }
        var height = 1
        for inner in parts[number].inner {
            guard let levels = self.height(of: inner, depth: depth + 1, &heights) else { return nil }
            height = max(height, levels + 1)
        }
        heights[number] = height
        return height
    }
}

extension ArraySlice {
    fileprivate func contains(index: Int) -> Bool { indices.contains(index) }
}
#endif
