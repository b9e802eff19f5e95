import Foundation
import KeyspanCore
import KeyspanUserDefaults

/// A class with a nested object, an array of objects and a number.
final class Track: NSObject, NSSecureCoding, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }

    let title: String
    let rating: Int
    let artist: Artist?
    let tags: [String]

    init(title: String, rating: Int, artist: Artist? = nil, tags: [String] = []) {
        self.title = title
        self.rating = rating
        self.artist = artist
        self.tags = tags
    }

    init?(coder: NSCoder) {
        guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
        let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags")
        self.title = String(describing: title)
        rating = coder.decodeInteger(forKey: "rating")
        artist = coder.decodeObject(of: Artist.self, forKey: "artist")
        self.tags = (tags as? [String]) ?? []
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: title), forKey: "title")
        coder.encode(rating, forKey: "rating")
        coder.encode(artist, forKey: "artist")
        coder.encode(NSArray(array: tags.map { NSString(string: $0) }), forKey: "tags")
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Track else { return false }
        return title == other.title && rating == other.rating && artist == other.artist && tags == other.tags
    }

    override var hash: Int { title.hashValue }
}

final class Artist: NSObject, NSSecureCoding, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }

    let name: String

    init(name: String) {
        self.name = name
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = String(describing: name)
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: name), forKey: "name")
    }

    override func isEqual(_ object: Any?) -> Bool { (object as? Artist)?.name == name }

    override var hash: Int { name.hashValue }
}

/// `Codable` as well, and so stored as JSON text.
final class Station: NSObject, NSSecureCoding, Codable, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }

    let name: String

    init(name: String) {
        self.name = name
    }

    init?(coder: NSCoder) {
        nil
    }

    func encode(with coder: NSCoder) {}

    override func isEqual(_ object: Any?) -> Bool { (object as? Station)?.name == name }

    override var hash: Int { name.hashValue }
}

/// `Codable` as well, and stored as an archive because it says so.
final class Channel: NSObject, NSSecureCoding, Codable, Defaults.Serializable, Defaults.PreferNSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let number: Int

    init(number: Int) {
        self.number = number
    }

    init?(coder: NSCoder) {
        number = coder.decodeInteger(forKey: "number")
    }

    func encode(with coder: NSCoder) {
        coder.encode(number, forKey: "number")
    }

    override func isEqual(_ object: Any?) -> Bool { (object as? Channel)?.number == number }

    override var hash: Int { number }
}

/// Writes and reads nothing.
class Blank: NSObject, NSSecureCoding {
    class var supportsSecureCoding: Bool { true }

    override init() {}

    required init?(coder: NSCoder) {}

    func encode(with coder: NSCoder) {}
}

/// Its instances say that they cannot be archived securely.
final class Unsafe: Blank, Defaults.Serializable {
    override class var supportsSecureCoding: Bool { false }
}

/// Contains itself as often as its archive says.
final class Box: NSObject, NSSecureCoding, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }

    var inner: Box?

    override init() {}

    init?(coder: NSCoder) {
        inner = coder.decodeObject(of: Box.self, forKey: "inner")
    }

    func encode(with coder: NSCoder) {
        coder.encode(inner, forKey: "inner")
    }

    /// So many boxes, each in the next one.
    static func nested(_ levels: Int) -> Box {
        let box = Box()
        var innermost = box
        for _ in 1..<levels {
            let next = Box()
            innermost.inner = next
            innermost = next
        }
        return box
    }
}

/// Archives a channel where ``Disguise``, whose name is as long, wants an artist.
final class Imposter: Blank {
    override func encode(with coder: NSCoder) {
        coder.encode(Channel(number: 1), forKey: "artist")
    }
}

/// Wants an artist.
final class Disguise: NSObject, NSSecureCoding, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }

    let artist: Artist?

    init?(coder: NSCoder) {
        artist = coder.decodeObject(of: Artist.self, forKey: "artist")
    }

    func encode(with coder: NSCoder) {}
}

/// A class inside of a type, for which swift-corelibs-foundation has no name.
enum Catalog {
    final class Entry: Blank, Defaults.Serializable {}
}

/// Archives any object, and reads artists.
final class Envelope: NSObject, NSSecureCoding, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }

    let content: NSObject?

    init(_ content: NSObject) {
        self.content = content
    }

    init?(coder: NSCoder) {
        content = coder.decodeObject(of: Artist.self, forKey: "content")
    }

    func encode(with coder: NSCoder) {
        coder.encode(content, forKey: "content")
    }
}

/// Asks for its optional property first, which an older version did not have.
final class Cassette: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let title: String
    let side: String?

    init(title: String, side: String?) {
        self.title = title
        self.side = side
    }

    init?(coder: NSCoder) {
        side = coder.decodeObject(of: NSString.self, forKey: "side").map { String(describing: $0) }
        guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
        self.title = String(describing: title)
    }

    func encode(with coder: NSCoder) {
        if let side { coder.encode(NSString(string: side), forKey: "side") }
        coder.encode(NSString(string: title), forKey: "title")
    }
}

/// A list of objects of a class.
final class Album: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let cassettes: [Cassette]

    init(cassettes: [Cassette]) {
        self.cassettes = cassettes
    }

    init?(coder: NSCoder) {
        let list = coder.decodeObject(of: [NSArray.self, Cassette.self], forKey: "cassettes")
        guard let cassettes = list as? [Cassette] else { return nil }
        self.cassettes = cassettes
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSArray(array: cassettes), forKey: "cassettes")
    }
}

/// Encodes a number by its address and type.
final class OldStyle: Blank {
    override func encode(with coder: NSCoder) {
        var number = 1.0
        coder.encodeValue(ofObjCType: "d", at: &number)
    }
}

#if !canImport(Darwin)
final class OwnArray: NSArray {}
final class OwnSet: NSSet {}
final class OwnDictionary: NSDictionary {}

/// A time zone of a class that only a reader who asks for time zones accepts.
final class OwnZone: NSTimeZone {
    required init?(coder: NSCoder) {
        let name = coder.decodeObject(of: NSString.self, forKey: "NS.name")
        super.init(name: name.map { String(describing: $0) } ?? "", data: nil)
    }
}

/// Has two mutable texts, which it archives as plain texts.
final class Notes: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let first: NSMutableString
    let second: NSMutableString

    init(first: String, second: String) {
        self.first = NSMutableString(string: first)
        self.second = NSMutableString(string: second)
    }

    init?(coder: NSCoder) {
        guard let first = coder.decodeObject(of: NSMutableString.self, forKey: "first"),
            let second = coder.decodeObject(of: NSMutableString.self, forKey: "second")
        else { return nil }
        self.first = first
        self.second = second
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: String(describing: first)), forKey: "first")
        coder.encode(NSString(string: String(describing: second)), forKey: "second")
    }
}

/// Archives two numbers under names that are equal for `String`.
final class Accents: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let left: Int
    let right: Int

    init(left: Int, right: Int) {
        self.left = left
        self.right = right
    }

    init?(coder: NSCoder) {
        left = coder.decodeInteger(forKey: "\u{E9}")
        right = coder.decodeInteger(forKey: "e\u{301}")
    }

    func encode(with coder: NSCoder) {
        coder.encode(left, forKey: "\u{E9}")
        coder.encode(right, forKey: "e\u{301}")
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Accents else { return false }
        return left == other.left && right == other.right
    }
}
#endif
