#if !canImport(Darwin)
import Foundation

/// A binary property list of parts that a test writes itself, in ways in which no archiver does.
struct WrittenArchive {
    /// The bytes of the parts.
    private var parts: [[UInt8]] = []
    /// The number of numbers in each part.
    private var repetitions: [Int] = []

    /// The number of bytes of each number.
    private let referenceSize: Int

    init(referenceSize: Int = 1) {
        self.referenceSize = referenceSize
    }

    /// Adds a part, and answers its number.
    mutating func add(_ bytes: [UInt8]) -> Int {
        parts.append(bytes)
        repetitions.append(1)
        return parts.count - 1
    }

    mutating func add(text: String) -> Int { add(Self.count(text.utf8.count, marker: 0x50) + Array(text.utf8)) }

    /// Adds a reference to an object by its index.
    mutating func add(object index: UInt8) -> Int { add([0x80, index]) }

    mutating func add(array elements: [Int]) -> Int {
        add(Self.count(elements.count, marker: 0xA0) + elements.flatMap(reference))
    }

    mutating func add(dictionary entries: [(name: Int, value: Int)]) -> Int {
        add(
            Self.count(entries.count, marker: 0xD0) + entries.flatMap { reference($0.name) }
                + entries.flatMap { reference($0.value) }
        )
    }

    /// Gives the last part more numbers, all of which lead to the same bytes.
    mutating func repeatLastPart(_ count: Int) {
        repetitions[repetitions.count - 1] += count
    }

    /// Adds what a keyed archive has around an object of a class, whose entry `content` is a part, and answers its bytes.
    mutating func archive(of type: AnyClass, content: Int) -> Data {
        let null = add(text: "$null")
        let root = add(dictionary: [(add(text: "$class"), add(object: 2)), (add(text: "content"), content)])
        let names = add(dictionary: [(add(text: "$classname"), add(text: NSStringFromClass(type)))])
        let objects = add(array: [null, root, names])
        let top = add(dictionary: [(add(text: "root"), add(object: 1))])
        let archiver = (add(text: "$archiver"), add(text: "NSKeyedArchiver"))
        let version = (add(text: "$version"), add([0x12, 0, 1, 0x86, 0xA0]))
        let all = add(dictionary: [(add(text: "$objects"), objects), (add(text: "$top"), top), archiver, version])
        return data(top: all)
    }

    /// The bytes of the list with a part that holds all others.
    func data(top: Int) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        var extra: [UInt8] = []
        for (part, repetitions) in zip(parts, repetitions) {
            let offset = Self.number(bytes.count, size: 4)
            offsets += offset
            // Behind all others, so that the numbers of those stay what they are.
            for _ in 1..<repetitions { extra += offset }
            bytes += part
        }
        let table = bytes.count
        let count = (offsets.count + extra.count) / 4
        bytes += offsets + extra + [0, 0, 0, 0, 0, 0, 4, UInt8(referenceSize)]
        for number in [count, top, table] { bytes += Self.number(number, size: 8) }
        return Data(bytes)
    }

    private func reference(_ number: Int) -> [UInt8] { Self.number(number, size: referenceSize) }

    private static func count(_ count: Int, marker: UInt8) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0x0F, 0x11] + number(count, size: 2)
    }

    private static func number(_ number: Int, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
#endif
