#if !canImport(Darwin)
internal import Foundation
internal import KeyspanCore
internal import KeyspanFileStore

/// Writes a keyed archive of one object, in place of `NSKeyedArchiver`.
///
/// On Linux, that class ends the program for a class without secure coding, for a class that has no name in an archive (a private, nested
/// or generic one), and for objects that cannot be hashed. It also takes equal objects for one object, such as `true` and 1. This coder knows
/// objects by their identity, and plain values by their kind.
final class ArchiveWriter: NSCoder {
    private enum Entry {
        case plain(PropertyListValue)
        case object(Int)
        case objects([Int])
        case texts([String])
    }

    private enum Object {
        case plain(PropertyListValue)
        case entries([UTF8Text: Entry])
    }

    /// The objects by their numbers; the first is what `nil` refers to.
    private var objects: [Object] = [.plain(.string("$null"))]
    /// The objects with their numbers, kept so that no other object gets the identity of one of them.
    private var known: [ObjectIdentifier: (object: NSObject, number: Int)] = [:]
    private var plain: [PropertyListValue: Int] = [:]
    private var classes: [ObjectIdentifier: Int] = [:]
    /// The entries of the objects whose `encode(with:)` is running.
    private var frames: [[UTF8Text: Entry]] = []
    private var refusal: String?

    /// The archive of an object.
    static func archive(of object: some NSObject & NSSecureCoding) throws(ValueEncodingError) -> Data {
        let writer = ArchiveWriter()
        let root = writer.number(of: object)
        if let refusal = writer.refusal { throw ValueEncodingError(reason: refusal) }
        return writer.data(root: root)
    }

    private func refuse(_ reason: String) {
        refusal = refusal ?? reason
    }

    // MARK: Objects

    /// The number of an object, which is encoded the first time.
    private func number(of value: Any?) -> Int {
        guard refusal == nil, let value else { return 0 }
        guard let object = value as AnyObject as? NSObject else {
            refuse("\(type(of: value)) is not an NSObject")
            return 0
        }
        if let known = known[ObjectIdentifier(object)] { return known.number }
        let type: AnyClass = object.classForKeyedArchiver ?? Swift.type(of: object)
        if let reason = Self.reason(against: object, archivedAs: type) {
            refuse(reason)
            return 0
        }
        if let value = Self.plainValue(of: object, type) {
            let number = plain[value] ?? add(.plain(value))
            plain[value] = number
            return number
        }
        guard frames.count < ArchiveReader.maximumDepth else {
            refuse("its objects have more than \(ArchiveReader.maximumDepth) levels")
            return 0
        }
        // Before its content, which can refer to it.
        let number = add(.entries([:]))
        known[ObjectIdentifier(object)] = (object, number)
        frames.append([:])
        encodeContent(of: object)
        var entries = frames.removeLast()
        entries["$class"] = .object(classNumber(of: type))
        objects[number] = .entries(entries)
        return number
    }

    private func add(_ object: Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    /// The value of an object that an archive has without its class.
    private static func plainValue(of object: NSObject, _ type: AnyClass) -> PropertyListValue? {
        switch object {
        case let text as NSString where type == NSString.self: .string(String(describing: text))
        case let number as NSNumber: FoundationNumber.value(number)
        case let data as NSData where type == NSData.self: .data(Data(referencing: data))
        default: nil
        }
    }

    private func encodeContent(of object: NSObject) {
        switch object {
        // These expect an `NSKeyedArchiver`.
        case let text as NSString: set(.plain(.string(String(describing: text))), "NS.string")
        case let data as NSData: set(.plain(.data(Data(referencing: data))), "NS.data")
        case let array as NSArray: set(.objects(array.map(number)), "NS.objects")
        case let elements as NSSet: set(.objects(Self.sorted(elements, by: \.self).map(number)), "NS.objects")
        case let dictionary as NSDictionary:
            let entries = Self.sorted(dictionary, by: \.key)
            set(.objects(entries.map { number(of: $0.key) }), "NS.keys")
            set(.objects(entries.map { number(of: $0.value) }), "NS.objects")
        default: (object as? any NSSecureCoding)?.encode(with: self)
        }
    }

    /// The members of a collection without an order, of which equal ones are archived alike.
    ///
    /// Objects that are not plain values come last, in an order that differs between processes.
    private static func sorted<Members: Sequence>(
        _ members: Members,
        by key: (Members.Element) -> Any
    ) -> [Members.Element] {
        let values = members.map { member in
            let object = key(member) as AnyObject as? NSObject
            return (member, object.flatMap { plainValue(of: $0, $0.classForKeyedArchiver ?? type(of: $0)) })
        }
        return values.sorted { left, right in
            guard let left = left.1 else { return false }
            return right.1.map { PropertyListValue.isOrderedBefore(left, $0) } ?? true
        }.map(\.0)
    }

    /// Why an object cannot be encoded; `nil` if it can.
    private static func reason(against object: NSObject, archivedAs archived: AnyClass) -> String? {
        let type = type(of: object)
        if let reason = FoundationClass.refusal(of: object) { return "\(type) cannot be stored: \(reason)" }
        guard (type as? any NSSecureCoding.Type)?.supportsSecureCoding == true else {
            return "\(type) does not support secure coding"
        }
        // Its `encode(with:)` calls that of the class, which expects an `NSKeyedArchiver`.
        if !FoundationClass.isFoundations(archived),
            object is NSString || object is NSData || object is NSArray || object is NSSet || object is NSDictionary
        {
            return
                "\(type) cannot be stored: on Linux, a class that inherits from a text, data or a collection of Foundation "
                + "cannot archive properties of its own; store an object that has such a text, data or collection instead"
        }
        if isNamed(archived) { return nil }
        return "\(archived) is private, generic or inside another type, so an archive has no name for it; "
            + "move it to the top level of a file, as internal or public"
    }

    /// Whether `NSStringFromClass` has a name for a class, which needs exactly a module and a type.
    private static func isNamed(_ type: AnyClass) -> Bool {
        String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false).count == 2
    }

    /// The number of the object that describes a class.
    private func classNumber(of type: AnyClass) -> Int {
        if let known = classes[ObjectIdentifier(type)] { return known }
        var names: [String] = []
        var next: AnyClass? = type
        while let current = next, Self.isNamed(current) {
            names.append(NSStringFromClass(current))
            next = (current as? NSObject.Type)?.superclass
        }
        let name = NSKeyedArchiver.classNameForClass(type) ?? names.first ?? ""
        let number = add(.entries(["$classname": .plain(.string(name)), "$classes": .texts(names)]))
        classes[ObjectIdentifier(type)] = number
        return number
    }

    private func set(_ entry: Entry, _ key: String) {
        guard let last = frames.indices.last else { return }
        frames[last][UTF8Text(key.hasPrefix("$") ? "$" + key : key)] = entry
    }

    // MARK: Bytes

    /// The bytes of the archive.
    private func data(root: Int) -> Data {
        var document: [BinaryPropertyListWriter.Object] = [.array([])]
        var scalars: [PropertyListValue: Int] = [:]
        func add(_ object: BinaryPropertyListWriter.Object) -> Int {
            document.append(object)
            return document.count - 1
        }
        func add(scalar value: PropertyListValue) -> Int {
            let index = scalars[value] ?? add(.scalar(value))
            scalars[value] = index
            return index
        }
        func add(_ entry: Entry) -> Int {
            switch entry {
            case .plain(let value): add(scalar: value)
            case .object(let number): add(.uid(number))
            case .objects(let numbers): add(.array(numbers.map { add(.uid($0)) }))
            case .texts(let texts): add(.array(texts.map { add(scalar: .string($0)) }))
            }
        }
        func dictionary(_ entries: [(String, Int)]) -> BinaryPropertyListWriter.Object {
            .dictionary(keys: entries.map { add(scalar: .string($0.0)) }, values: entries.map(\.1))
        }
        let contents = objects.map { object in
            switch object {
            case .plain(let value): add(scalar: value)
            case .entries(let entries):
                // In an order that does not change.
                add(dictionary(entries.sorted { $0.key < $1.key }.map { ($0.key.wrappedValue, add($0.value)) }))
            }
        }
        let top = add(dictionary([(NSKeyedArchiveRootObjectKey, add(.uid(root)))]))
        document[0] = dictionary([
            ("$archiver", add(scalar: "NSKeyedArchiver")), ("$objects", add(.array(contents))), ("$top", top),
            ("$version", add(scalar: 100_000)),
        ])
        return Data(BinaryPropertyListWriter.bytes(of: document))
    }

    // MARK: NSCoder

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var systemVersion: UInt32 { 2000 }
    override var error: (any Error)? { nil }
    override func failWithError(_ error: any Error) { refuse("its class refuses to encode it") }
    override func encode(_ object: Any?, forKey key: String) { set(.object(number(of: object)), key) }
    override func encodeConditionalObject(_ object: Any?, forKey key: String) {
        // Only if it is encoded anyway.
        guard let object = object as AnyObject?, let known = known[ObjectIdentifier(object)] else { return }
        set(.object(known.number), key)
    }

    override func encode(_ value: Bool, forKey key: String) { set(.plain(.boolean(value)), key) }
    override func encode(_ value: Int32, forKey key: String) {
        set(.plain(.integer(PropertyListInteger(Int(value)))), key)
    }
    override func encode(_ value: Int64, forKey key: String) { set(.plain(.integer(PropertyListInteger(value))), key) }
    override func encode(_ value: Int, forKey key: String) { set(.plain(.integer(PropertyListInteger(value))), key) }
    override func encode(_ value: Float, forKey key: String) { set(.plain(.real(Double(value))), key) }
    override func encode(_ value: Double, forKey key: String) { set(.plain(.real(value)), key) }

    override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {
        set(.plain(.data(Data(UnsafeBufferPointer(start: bytes, count: length)))), key)
    }

    override func encode(_ object: Any?) { encodeUnkeyed(object) }
    override func encodeConditionalObject(_ object: Any?) { encodeUnkeyed(object) }
    override func encode(_ data: Data) { encodeUnkeyed(data) }
    override func encodePropertyList(_ value: Any) { encodeUnkeyed(value) }

    private func encodeUnkeyed(_ object: Any?) {
        let number = number(of: object)
        guard let last = frames.indices.last else { return }
        // Without the second dollar sign that other keys get.
        let count = frames[last].keys.count { $0.wrappedValue.hasPrefix("$") && !$0.wrappedValue.hasPrefix("$$") }
        frames[last][UTF8Text("$\(count)")] = .object(number)
    }

    override func encodeValue(ofObjCType type: UnsafePointer<Int8>, at address: UnsafeRawPointer) {
        refuse("a value that is described by a type of Objective-C cannot be read")
    }
}
#endif
