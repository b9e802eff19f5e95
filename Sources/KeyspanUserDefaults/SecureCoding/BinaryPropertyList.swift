#if !canImport(Darwin)
package import Foundation
internal import KeyspanCore

/// The parts of a binary property list, each by its number, checked so that Foundation on Linux can read it.
///
/// Foundation there ends the program for some damaged lists. So this takes only what is whole: every part lies between header
/// and table and refers to parts that there are, none is in itself, and the names in a dictionary are different texts.
///
/// A part can be shared by others, and Foundation copies it for each of them, so that a small list could stand for an endless
/// value. What a list stands for is therefore bounded by its ``ArchiveBudget``, and its parts must not overlap.
///
/// - SeeAlso: The description of the format in `CFBinaryPList.c`, which Apple published with CoreFoundation.
package struct BinaryPropertyList {
    /// One part.
    package enum Part {
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
        package var inner: [Int] {
            switch self {
            case .array(let elements): elements
            case .dictionary(let names, let values): names + values
            case .text, .reference, .plain: []
            }
        }
    }

    /// What a part stands for, with all parts in it.
    private struct Extent {
        /// How many levels it has.
        var height = 1
        /// How many bytes it has, where a part that is shared counts each time.
        var size: Int
    }

    private static let headerSize = 8
    private static let trailerSize = 32
    private static let maximumDepth = 128

    /// The parts by number.
    ///
    /// If several numbers lead to the same bytes, the part is at the first of them, and no reference leads to the others.
    package private(set) var parts: [Part] = []

    /// The number of the part that holds all others.
    let top: Int

    // How many bytes each part has without those of the parts in it.
    private var sizes: [Int] = []

    /// Reads a list, or answers `nil` if it is not whole or stands for more than the budget allows.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package init?(_ data: Data, budget: inout ArchiveBudget) {
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
            count * offsetSize == trailer - table,
            let offsets = Self.offsets(in: bytes[table..<trailer], size: offsetSize)
        else { return nil }
        let numbers = Self.firstNumbers(of: offsets)
        self.top = numbers[top]
        var extents: [Int: Extent] = [:]
        guard
            readParts(at: offsets, in: bytes[Self.headerSize..<table], numbers, referenceSize, &budget),
            extent(of: self.top, depth: 0, &extents, &budget) != nil
        else { return nil }
    }

    /// Where the parts begin.
    private static func offsets(in table: ArraySlice<UInt8>, size: Int) -> [Int]? {
        var offsets: [Int] = []
        offsets.reserveCapacity(table.count / size)
        for start in stride(from: table.startIndex, to: table.endIndex, by: size) {
            guard let offset = BinaryPartReader.number(table[start..<(start + size)]) else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    /// For each part, the first one that begins where it does.
    private static func firstNumbers(of offsets: [Int]) -> [Int] {
        var first: [Int: Int] = [:]
        for (number, offset) in offsets.enumerated() where first[offset] == nil {
            first[offset] = number
        }
        return offsets.enumerated().map { number, offset in first[offset] ?? number }
    }

    /// Reads each part once, and answers whether all are whole and none overlaps another one.
    private mutating func readParts(
        at offsets: [Int],
        in body: ArraySlice<UInt8>,
        _ numbers: [Int],
        _ referenceSize: Int,
        _ budget: inout ArchiveBudget
    ) -> Bool {
        var bytesLeft = body.count
        for (number, offset) in offsets.enumerated() {
            guard numbers[number] == number else {
                parts.append(.plain)
                sizes.append(0)
                continue
            }
            guard body.indices.contains(offset) else { return false }
            var reader = BinaryPartReader(bytes: body[offset...], referenceSize: referenceSize, numbers: numbers)
            guard let part = reader.part() else { return false }
            let size = reader.bytes.startIndex - offset
            bytesLeft -= size
            // Parts that overlap would be more, together, than there are bytes.
            guard bytesLeft >= 0, budget.spend(size) else { return false }
            parts.append(part)
            sizes.append(size)
        }
        return true
    }

    /// The text that a part is.
    func text(_ number: Int) -> String? {
        if case .text(let text) = parts[number] { text } else { nil }
    }

    /// The number of a value in a dictionary.
    func value(of name: String, in number: Int) -> Int? {
        guard case .dictionary(let names, let values) = parts[number] else { return nil }
        return zip(names, values).first { text($0.0)?.hasSameUTF8(as: name) == true }?.1
    }

    private func hasDistinctNames(_ part: Part, _ budget: inout ArchiveBudget) -> Bool {
        guard case .dictionary(let names, _) = part else { return true }
        if names.count <= 1 { return names.allSatisfy { text($0) != nil } }
        guard Set(names).count == names.count else { return false }
        var texts: Set<String> = []
        for name in names {
            // A long name may be that of many dictionaries, and is looked at for each of them.
            guard budget.spend(sizes[name]), let text = text(name) else { return false }
            // By characters, as the dictionary of Foundation compares them.
            guard texts.insert(text).inserted else { return false }
        }
        return true
    }

    /// What a part stands for.
    ///
    /// Answers `nil` if it has too many levels, as a part in itself has, or too many bytes, or if a dictionary has a name twice.
    private func extent(
        of number: Int,
        depth: Int,
        _ extents: inout [Int: Extent],
        _ budget: inout ArchiveBudget
    ) -> Extent? {
        if let extent = extents[number] { return depth + extent.height <= Self.maximumDepth ? extent : nil }
        let inner = parts[number].inner
        guard depth < Self.maximumDepth, budget.spend(1 + inner.count) else { return nil }
        var extent = Extent(size: sizes[number])
        for number in inner {
            guard let part = self.extent(of: number, depth: depth + 1, &extents, &budget) else { return nil }
            extent.height = max(extent.height, part.height + 1)
            // Neither is larger than the limit, so the sum does not overflow.
            extent.size += part.size
            guard extent.size <= budget.limit else { return nil }
        }
        // Last, when it is known that the names are not too long together.
        guard hasDistinctNames(parts[number], &budget) else { return nil }
        extents[number] = extent
        return extent
    }
}
#endif
