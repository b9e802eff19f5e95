#if !canImport(Darwin)
package import Foundation
package import KeyspanCore
internal import KeyspanFileStore

/// The parts of the property list of a keyed archive, each by its number.
///
/// Every part lies between the header and the table of offsets, and parts do not overlap, so the archive is at least as large as all
/// of them. A part can contain itself or be shared by many others; ``ArchiveReader`` decides what that costs.
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
        case plain(PropertyListValue)
    }

    /// The parts by number.
    ///
    /// If several numbers lead to the same bytes, the part is at the first of them, and no reference leads to the others.
    package private(set) var parts: [Part] = []

    /// The number of the part that contains all others.
    private(set) var top = 0

    // The number of bytes of each part without those of the parts in it.
    private var sizes: [Int] = []

    /// Reads an archive, or returns `nil` if it is damaged.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package init?(_ archive: Data, budget: inout ArchiveBudget) {
        let bytes = [UInt8](archive)
        guard bytes.starts(with: Array("bplist00".utf8)) else { return nil }
        let isWhole = bytes.withUnsafeBufferPointer { bytes in
            (try? BinaryPropertyListObjects(bytes)).map { readParts(of: $0, &budget) } ?? false
        }
        guard isWhole else { return nil }
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
                parts.append(.array([]))
                sizes.append(0)
                continue
            }
            var end = offset
            guard let object = try? objects.readObject(at: &end) else { return false }
            let size = end - offset
            bytesLeft -= size
            guard bytesLeft >= 0, budget.spend(size), let part = Self.part(object, at: offset, of: objects, numbers)
            else { return false }
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

    /// The part for an object, or `nil` if no archive contains such an object.
    private static func part(
        _ object: BinaryPropertyListObjects.Object,
        at offset: Int,
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
        case .boolean, .integer, .real, .date, .data:
            return (try? objects.scalar(object, at: offset)).flatMap { $0 }.map { .plain($0) }
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

    /// The numbers of the elements of a part, if it is an array.
    func elements(_ number: Int) -> [Int]? {
        if case .array(let elements) = parts[number] { elements } else { nil }
    }

    /// The text of a part.
    func text(_ number: Int) -> String? {
        if case .text(let text) = parts[number] { text } else { nil }
    }

    /// The number of bytes of a part without those of the parts in it.
    func size(_ number: Int) -> Int { sizes[number] }

    /// The entries of a dictionary, or `nil` if the part is none, the names are not different texts, or the budget is spent.
    ///
    /// Many dictionaries can share a long name or a long list, which costs its size in each of them.
    func entries(of number: Int, _ budget: inout ArchiveBudget) -> [UTF8Text: Int]? {
        guard case .dictionary(let names, let values) = parts[number], budget.spend(1 + names.count) else { return nil }
        var entries: [UTF8Text: Int] = [:]
        for (name, value) in zip(names, values) {
            guard let text = text(name), budget.spend(sizes[name] + sizes[value]),
                entries.updateValue(value, forKey: UTF8Text(text)) == nil
            else { return nil }
        }
        return entries
    }
}

/// A limit for the work of reading an archive and for the size of its objects: some bytes for each byte of the archive.
///
/// A reader spends the budget on everything that it inspects or makes, so that no archive keeps it busy for long.
package struct ArchiveBudget {
    /// The number of bytes that any archive may stand for.
    ///
    /// Dozens of equal sets of characters share one bitmap, and each makes something larger of it.
    package static let bytesAtLeast = 1 << 24
    /// The number of bytes that a larger archive may stand for, for each of its own bytes.
    ///
    /// Names of properties can be long, and all objects of a class share them.
    package static let bytesPerByte = 64

    /// The whole budget.
    package let limit: Int
    /// The part of the budget that was spent.
    package private(set) var spent = 0

    /// Makes the budget of an archive.
    package init(for archive: Data) {
        limit = max(Self.bytesAtLeast, archive.count * Self.bytesPerByte)
    }

    /// Spends an amount, or returns `false` if too little is left.
    mutating func spend(_ amount: Int) -> Bool {
        guard amount <= limit - spent else { return false }
        spent += amount
        return true
    }
}
#endif
