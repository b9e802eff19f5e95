/// A type of each shape that `Codable` gives to types.
struct Empty: Codable, Hashable {}

enum Shape: Codable, Hashable {
    case point
    case circle(radius: Double)
    case line(Int, Int?)
}

struct Envelope<Content: Codable & Hashable & Sendable>: Codable, Hashable {
    var content: Content
}

struct Celsius: RawRepresentable, Codable, Hashable {
    var rawValue: Double
}

enum Weekday: String, Codable, Hashable, CodingKeyRepresentable {
    case monday, tuesday
}

/// A list that is as deep as it is long.
final class Link: Codable, Equatable, @unchecked Sendable {
    // Never changed after `init`.
    let next: Link?

    init(_ next: Link?) {
        self.next = next
    }

    static func chain(of count: Int) -> Link? {
        (0..<count).reduce(nil) { next, _ in Link(next) }
    }

    static func == (left: Link, right: Link) -> Bool { left.next == right.next }
}

class Animal: Codable {
    var legs: Int

    init(legs: Int) {
        self.legs = legs
    }
}

/// Writes its superclass's part under a name of its own, as the compiler advises.
final class Dog: Animal {
    var name: String

    init(name: String) {
        self.name = name
        super.init(legs: 4)
    }

    private enum Keys: CodingKey { case name }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(name, forKey: .name)
        try super.encode(to: container.superEncoder())
    }
}

/// Shares one dictionary with its superclass.
final class Cat: Animal {
    var lives: Int

    init(lives: Int) {
        self.lives = lives
        super.init(legs: 4)
    }

    private enum Keys: CodingKey { case lives }

    required init(from decoder: any Decoder) throws {
        lives = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .lives)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(lives, forKey: .lives)
    }
}

/// Uses every kind of nested container by hand.
struct Matrix: Codable, Hashable {
    var rows: [[Int]]

    private enum Keys: CodingKey { case size, rows }
    private enum SizeKeys: CodingKey { case height }

    init(rows: [[Int]]) {
        self.rows = rows
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let size = try container.nestedContainer(keyedBy: SizeKeys.self, forKey: .size)
        let height = try size.decode(Int.self, forKey: .height)
        var outer = try container.nestedUnkeyedContainer(forKey: .rows)
        rows = []
        while !outer.isAtEnd {
            var inner = try outer.nestedUnkeyedContainer()
            var row: [Int] = []
            while !inner.isAtEnd { row.append(try inner.decode(Int.self)) }
            rows.append(row)
        }
        guard rows.count == height else {
            throw DecodingError.dataCorruptedError(forKey: .size, in: container, debugDescription: "secret")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var outer = container.nestedUnkeyedContainer(forKey: .rows)
        for row in rows {
            var inner = outer.nestedUnkeyedContainer()
            for number in row { try inner.encode(number) }
        }
        var size = container.nestedContainer(keyedBy: SizeKeys.self, forKey: .size)
        try size.encode(rows.count, forKey: .height)
    }
}
