#if !canImport(Darwin)
package import Foundation
internal import KeyspanCore
internal import KeyspanFileStore

/// The parts of a keyed archive, each by its number, checked so that Foundation on Linux can read them.
///
/// Foundation there ends the program for some damaged binary property lists. So every part must lie between header and table and
/// refer to parts that exist, no part may contain itself, and the names in a dictionary must be different texts.
///
/// Several parts can share another one, and Foundation copies it for each of them, so that a small archive could stand for an
/// endless value. An ``ArchiveBudget`` therefore bounds what an archive stands for, and its parts must not overlap.
package struct ArchiveParts {
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

    /// The extent of a part including all parts in it.
    private struct Extent {
        /// The number of levels.
        var height = 1
        /// The number of bytes, where a shared part counts each time.
        var size: Int
    }

    private static let maximumDepth = 128

    /// The parts by number.
    ///
    /// If several numbers lead to the same bytes, the part is at the first of them, and no reference leads to the others.
    package private(set) var parts: [Part] = []

    /// The number of the part that contains all others.
    private(set) var top = 0

    // The number of bytes of each part without those of the parts in it.
    private var sizes: [Int] = []

    /// Reads an archive, or returns `nil` if it is damaged or stands for more than the budget allows.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package init?(_ archive: Data, budget: inout ArchiveBudget) {
        let bytes = [UInt8](archive)
        // Foundation looks at the whole version.
        guard bytes.starts(with: Array("bplist00".utf8)) else { return nil }
        let isWhole = bytes.withUnsafeBufferPointer { bytes in
            (try? BinaryPropertyListObjects(bytes)).map { readParts(of: $0, &budget) } ?? false
        }
        var extents: [Int: Extent] = [:]
        guard isWhole, extent(of: top, depth: 0, &extents, &budget) != nil else { return nil }
    }

    /// Reads each part once, and returns whether all are whole and none overlaps another one.
    private mutating func readParts(of objects: BinaryPropertyListObjects, _ budget: inout ArchiveBudget) -> Bool {
        guard objects.hasExactTable,
            let offsets = try? (0..<objects.count).map({ try objects.offset(of: UInt64($0)) })
        else { return false }
        let numbers = Self.firstNumbers(of: offsets)
        top = numbers[objects.root]
        // Parts that overlap have more bytes together.
        var bytesLeft = objects.sizeOfObjects
        for (number, offset) in offsets.enumerated() {
            guard numbers[number] == number else {
                parts.append(.plain)
                sizes.append(0)
                continue
            }
            var end = offset
            guard let object = try? objects.readObject(at: &end) else { return false }
            let size = end - offset
            bytesLeft -= size
            guard bytesLeft >= 0, budget.spend(size), let part = Self.part(object, of: objects, numbers) else {
                return false
            }
            parts.append(part)
            sizes.append(size)
        }
        return true
    }

    /// For each part, the number of the first one that begins where it does.
    private static func firstNumbers(of offsets: [Int]) -> [Int] {
        var first: [Int: Int] = [:]
        for (number, offset) in offsets.enumerated() where first[offset] == nil {
            first[offset] = number
        }
        return offsets.enumerated().map { number, offset in first[offset] ?? number }
    }

    /// The part for an object, or `nil` if Foundation cannot read the object.
    private static func part(
        _ object: BinaryPropertyListObjects.Object,
        of objects: BinaryPropertyListObjects,
        _ numbers: [Int]
    ) -> Part? {
        func parts(_ references: BinaryPropertyListObjects.References) -> [Int]? {
            var parts: [Int] = []
            parts.reserveCapacity(references.count)
            for index in 0..<references.count {
                let number = objects.target(of: index, in: references)
                guard number < numbers.count else { return nil }
                parts.append(numbers[Int(number)])
            }
            return parts
        }
        switch object {
        case .boolean, .integer, .real, .date, .data: return .plain
        case .ascii(let range): return objects.ascii(in: range).map { .text($0) }
        // Foundation reads lone surrogates, too.
        case .utf16(let range): return .text(String(decoding: objects.utf16(in: range), as: UTF16.self))
        case .uid(let range):
            let number = objects.number(in: range)
            return range.count <= 4 && number <= Int32.max ? .reference(Int(number)) : nil
        case .array(let elements): return parts(elements).map { .array($0) }
        case .dictionary(let keys, let values):
            guard let names = parts(keys), let values = parts(values) else { return nil }
            return .dictionary(names: names, values: values)
        }
    }

    /// The text of a part.
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
            // Many dictionaries can share a long name, which is inspected for each of them.
            guard budget.spend(sizes[name]), let text = text(name) else { return false }
            // Compared by characters, as Foundation's dictionary does.
            guard texts.insert(text).inserted else { return false }
        }
        return true
    }

    /// Computes the extent of a part.
    ///
    /// Returns `nil` if the part has too many levels, such as a part that contains itself, or too many bytes, or if a dictionary has a
    /// name twice.
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
        // Last, after the check that the names are not too long together.
        guard hasDistinctNames(parts[number], &budget) else { return nil }
        extents[number] = extent
        return extent
    }
}
#endif
