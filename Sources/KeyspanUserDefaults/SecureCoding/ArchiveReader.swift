#if !canImport(Darwin)
package import Foundation
internal import KeyspanCore

/// Why an archive is rejected.
package struct ArchiveFault: Error {
    /// The reason, as a clause without a full stop and without any part of the value.
    package let reason: String
}

/// Reads a keyed archive of one object, in place of `NSKeyedUnarchiver`.
///
/// On Linux, that class ends the program for an object of another class than its reader asked for, and for an object that contains
/// itself. Some of Foundation's classes rely on it for more than an archive has: a dictionary takes as many objects as it has keys,
/// and reads outside of its memory if the class of one object returns `nil`. A key that an archive lacks makes all later objects `nil`.
///
/// This coder accepts the classes that an `init(coder:)` asks for, as Apple's does, makes each object once, and answers `nil` for a key
/// that is not there. Where no class is asked for, it also accepts the classes of ``FoundationClass``. The first fault ends the reading.
///
/// Foundation's own classes decode several keys with other coders than with `NSKeyedUnarchiver`, and then they check more. So
/// this coder gives them the contents of an archive under those keys: the elements of `NS.objects` as `NS.object.0` and so on.
package final class ArchiveReader: NSCoder {
    /// An object whose `init(coder:)` is running, or the archive itself.
    private struct Frame {
        let part: Int
        let entries: [UTF8Text: Int]
        let isFoundations: Bool
        /// The number of objects that were decoded without a key.
        var unkeyed = 0
    }

    // Each level takes some kilobytes of the stack.
    static let maximumDepth = 128

    private let list: ArchiveParts
    // The number of each object's part.
    private let objects: [Int]
    private var frames: [Frame] = []
    private var askedFor: [[AnyClass]] = []
    /// The objects and their classes by their parts.
    private var made: [Int: (object: NSObject, type: AnyClass)] = [:]
    /// The sizes of objects of Foundation's classes by their parts, with all that is in them, each time that it is there.
    private var weights: [Int: Int] = [:]
    /// The parts of the objects that are in an object of Foundation's classes.
    private var contained: Set<Int> = []
    /// The classes by the parts that name them.
    private var classes: [Int: AnyClass] = [:]
    /// Whether the classes are Foundation's, whose names take long to find.
    private var areFoundations: [ObjectIdentifier: Bool] = [:]
    private var fault: ArchiveFault?
    package private(set) var budget: ArchiveBudget

    /// Reads the structure of an archive.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package init(_ archive: Data) throws(ArchiveFault) {
        var budget = ArchiveBudget(for: archive)
        guard let list = ArchiveParts(archive, budget: &budget),
            let entries = list.entries(of: list.top, &budget),
            entries["$archiver"].flatMap(list.text) == "NSKeyedArchiver",
            let objects = entries["$objects"].flatMap(list.elements),
            let top = entries["$top"], let root = list.entries(of: top, &budget)
        else { throw ArchiveFault(reason: "it is not a keyed archive") }
        self.list = list
        self.objects = objects
        self.budget = budget
        frames = [Frame(part: top, entries: root, isFoundations: false)]
    }

    /// Makes the object of the archive.
    package func read<Object: NSObject & NSSecureCoding>(_ type: Object.Type) throws(ArchiveFault) -> Object {
        let object = decodeObject(of: [type], forKey: NSKeyedArchiveRootObjectKey)
        if let fault { throw fault }
        guard let object = object as? Object else { throw ArchiveFault(reason: "the archive has no \(type)") }
        return object
    }

    /// Ends the reading, unless it has ended.
    private func reject(_ reason: String) {
        fault = fault ?? ArchiveFault(reason: reason)
    }

    // MARK: Entries

    /// The keys by which Foundation's classes ask other coders for contents, and those by which an archive has them.
    private static let otherNames = [
        "NS.bytes": ["NS.data", "NS.string"], "NSStringObject": ["NSString"], "NSBitmapObject": ["NSBitmap"],
    ]
    /// The keys for which Foundation's classes would call members of `NSKeyedUnarchiver` that no other coder has.
    private static let hiddenNames: Set = ["NS.objects", "NS.string", "NS.data", "NS.number"]
    private static let lists = [("NS.object.", "NS.objects"), ("NS.key.", "NS.keys")]

    private func entry(_ key: String) -> Int? {
        guard fault == nil, let frame = frames.last else { return nil }
        if let entry = frame.entries[UTF8Text(key.hasPrefix("$") ? "$" + key : key)] { return entry }
        guard frame.isFoundations else { return nil }
        if let names = Self.otherNames[key] { return names.lazy.compactMap { frame.entries[UTF8Text($0)] }.first }
        for (prefix, name) in Self.lists where key.hasPrefix(prefix) {
            guard let index = Int(key.dropFirst(prefix.count)), let elements = elements(name),
                elements.indices.contains(index)
            else { return nil }
            return elements[index]
        }
        return nil
    }

    /// The elements of a list of the current object.
    private func elements(_ name: String) -> [Int]? {
        frames.last?.entries[UTF8Text(name)].flatMap(list.elements)
    }

    /// Whether the current object has as many keys as objects.
    var hasPairs: Bool { elements("NS.keys")?.count == elements("NS.objects")?.count }

    private func plainValue(_ key: String) -> PropertyListValue? {
        guard let entry = entry(key), case .plain(let value) = list.parts[entry] else { return nil }
        return value
    }

    // MARK: Objects

    private func object(forKey key: String, of classes: [AnyClass]?) -> NSObject? {
        guard let entry = entry(key) else { return nil }
        if let classes { askedFor.append(classes) }
        defer { if classes != nil { askedFor.removeLast() } }
        let object = object(at: entry, isTyped: classes != nil)
        // Foundation's collections would take it for their end.
        if object == nil, frames.last?.isFoundations == true, Self.lists.contains(where: { key.hasPrefix($0.0) }) {
            reject("a collection in it lacks an element")
        }
        return object
    }

    private func object(at entry: Int, isTyped: Bool) -> NSObject? {
        guard fault == nil else { return nil }
        guard let part = target(of: entry) else {
            reject("it refers to an object that it does not have")
            return nil
        }
        if list.text(part) == "$null" { return nil }
        if made[part] == nil { made[part] = makeObject(part, isTyped) }
        guard fault == nil, let (object, type) = made[part], accepts(type, isTyped) else { return nil }
        return mutable(object, part)
    }

    /// The part of the object to which an entry refers.
    private func target(of entry: Int) -> Int? {
        guard case .reference(let index) = list.parts[entry] else { return entry }
        return objects.indices.contains(index) ? objects[index] : nil
    }

    /// Whether an object may be of a class; rejects the archive otherwise.
    private func accepts(_ type: AnyClass, _ isTyped: Bool) -> Bool {
        if askedFor.last?.contains(where: { Self.isKind(type, of: $0) }) == true { return true }
        if !isTyped, isFoundations(type) { return true }
        // A mutable copy is made of it.
        if isTyped, askedFor.last?.contains(where: { Self.isKind($0, of: type) && Self.isPlain($0) }) == true {
            return true
        }
        reject("it has an object of the class \(type), which nobody asked for")
        return false
    }

    private func isFoundations(_ type: AnyClass) -> Bool {
        if let known = areFoundations[ObjectIdentifier(type)] { return known }
        let isFoundations = FoundationClass.isReadable(type)
        areFoundations[ObjectIdentifier(type)] = isFoundations
        return isFoundations
    }

    private static func isKind(_ found: AnyClass, of type: AnyClass) -> Bool {
        found == type || (found as? NSObject.Type)?.isSubclass(of: type) == true
    }

    /// Whether an archive can have the objects of a class as plain texts or data.
    private static func isPlain(_ type: AnyClass) -> Bool { type == NSMutableString.self || type == NSMutableData.self }

    /// The object, or its mutable copy where nothing else is asked for.
    ///
    /// Each reader gets a copy of its own, as a change in one of them must not change the others.
    private func mutable(_ object: NSObject, _ part: Int) -> NSObject? {
        guard let asked = askedFor.last, !asked.contains(where: { Self.isKind(type(of: object), of: $0) }),
            asked.contains(where: Self.isPlain), object is NSString || object is NSData
        else { return object }
        guard budget.spend(2 * list.size(part)) else {
            reject("it stands for too much")
            // Not `nil`, which Foundation's collections do not expect after they found the key.
            return object
        }
        return object.mutableCopy() as? NSObject
    }

    private func makeObject(_ part: Int, _ isTyped: Bool) -> (object: NSObject, type: AnyClass)? {
        switch list.parts[part] {
        case .text(let text): return (NSString(string: text), NSString.self)
        case .plain(let value): return FoundationClass.object(of: value)
        case .dictionary: return makeKeyedObject(part, isTyped)
        case .array, .reference:
            reject("it refers to something that is no object")
            return nil
        }
    }

    private func makeKeyedObject(_ part: Int, _ isTyped: Bool) -> (object: NSObject, type: AnyClass)? {
        guard frames.count <= Self.maximumDepth, !frames.contains(where: { $0.part == part }) else {
            reject("its objects contain themselves or have more than \(Self.maximumDepth) levels")
            return nil
        }
        guard var entries = list.entries(of: part, &budget) else {
            reject("it is damaged or stands for too much")
            return nil
        }
        // Before the object is made, because any code can run then.
        guard let type = classNamed(by: entries["$class"]), accepts(type, isTyped) else { return nil }
        let foundations = FoundationClass.of(type)
        // Foundation writes its whole file and reads only its name.
        if foundations == .readable("NSTimeZone") { entries["NS.data"] = nil }
        // Foundation's classes copy texts and data, which many objects can share, into larger forms.
        let cost = foundations == .own ? 0 : entries.values.reduce(0) { $0 + 8 * (target(of: $1).map(list.size) ?? 0) }
        guard budget.spend(cost) else {
            reject("it stands for too much")
            return nil
        }
        frames.append(Frame(part: part, entries: entries, isFoundations: foundations != .own))
        defer { frames.removeLast() }
        guard foundations.accepts(self), fault == nil,
            let object = (type as? any NSSecureCoding.Type)?.init(coder: self) as? NSObject,
            FoundationClass.isUsable(object)
        else {
            reject("it has no whole \(type)")
            return nil
        }
        guard foundations == .own || weigh(part, entries) else {
            reject("it stands for too much")
            return nil
        }
        return (object, type)
    }

    /// Spends the budget for the contents of an object of Foundation's classes, which copy, compare and convert them at all levels.
    ///
    /// Sets and shared contents cost something; lists that share nothing cost nothing at any level.
    private func weigh(_ part: Int, _ entries: [UTF8Text: Int]) -> Bool {
        var weight = list.size(part)
        for (name, entry) in entries where name != "$class" {
            for reference in list.elements(entry) ?? [entry] {
                guard let target = target(of: reference) else { continue }
                // Swift hashes a set in a set again and again: 2.6 times as often with each level.
                let isSet = made[target]?.object is NSSet || made[target]?.object is NSOrderedSet
                let added = (list.size(reference) + (weights[target] ?? list.size(target))) * (isSet ? 3 : 1)
                let isFirst = !isSet && (weights[target] == nil || contained.insert(target).inserted)
                guard isFirst || budget.spend(2 * added) else { return false }
                weight += added
            }
        }
        weights[part] = weight
        return true
    }

    /// Pays for the elements of an array in the current object by their indexes, or rejects the archive.
    func spend(onElements indexes: some Sequence<Int>, of key: String) {
        let types = FoundationClass.propertyLists + [NSURL.self] + (allowedClasses ?? [])
        guard decodeObject(of: types, forKey: key) != nil, let array = entry(key).flatMap(target) else { return }
        let elements = list.entries(of: array, &budget)?["NS.objects"].flatMap(list.elements) ?? []
        for index in indexes {
            let element = elements.indices.contains(index) ? target(of: elements[index]) : array
            guard budget.spend(2 * (element.flatMap { weights[$0] } ?? 0)) else {
                return reject("it stands for too much")
            }
        }
    }

    /// The class that an object of the archive names.
    private func classNamed(by entry: Int?) -> AnyClass? {
        guard let part = entry.flatMap(target) else {
            reject("it has an object without a class")
            return nil
        }
        if let known = classes[part] { return known }
        let name = list.entries(of: part, &budget)?["$classname"].flatMap(list.text)
        let found = name.flatMap(Self.findClass)
        // First, because some classes end the program when they are asked whether they support secure coding.
        if let found, let reason = FoundationClass.of(found).reason {
            reject("it has a \(found): \(reason)")
            return nil
        }
        guard let found, (found as? any NSSecureCoding.Type)?.supportsSecureCoding == true else {
            reject("it has an object of a class that does not exist or does not support secure coding")
            return nil
        }
        classes[part] = found
        return found
    }

    private static func findClass(_ name: String) -> (NSObject.Type)? {
        let found: AnyClass? =
            NSKeyedUnarchiver.class(forClassName: name) ?? (isNameOfClass(name) ? NSClassFromString(name) : nil)
        return (found as? NSObject.Type)?.classForKeyedUnarchiver() as? NSObject.Type
    }

    /// Whether a text can be the name of a class; Foundation's search for some other texts ends the program or writes to the log.
    private static func isNameOfClass(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("_Tt") && text.utf8.count { $0 == UInt8(ascii: ".") } <= 1
            && text.utf8.allSatisfy { $0.isAlphanumeric || "._$".utf8.contains($0) }
    }

    // MARK: NSCoder

    package override var allowsKeyedCoding: Bool { true }
    package override var requiresSecureCoding: Bool { true }
    package override var allowedClasses: [AnyClass]? { askedFor.last }
    package override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    package override var error: (any Error)? { fault }
    package override var systemVersion: UInt32 { 2000 }
    package override func version(forClassName className: String) -> Int { 0 }
    package override func failWithError(_ error: any Error) { reject("its class rejects it") }

    package override func containsValue(forKey key: String) -> Bool {
        guard frames.last?.isFoundations == true else { return entry(key) != nil }
        guard !Self.hiddenNames.contains(key), let entry = entry(key) else { return false }
        // These classes insist on an object after this, which only they know the class of. A collection would end at `nil`.
        return target(of: entry).flatMap(list.text) != "$null" || Self.lists.contains { key.hasPrefix($0.0) }
    }

    package override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        object(forKey: key, of: classes)
    }

    package override func decodeObject(forKey key: String) -> Any? { object(forKey: key, of: nil) }

    package override func decodeObject() -> Any? {
        guard let last = frames.indices.last else { return nil }
        defer { frames[last].unkeyed += 1 }
        // Without the second dollar sign that other keys get.
        return frames[last].entries[UTF8Text("$\(frames[last].unkeyed)")].flatMap { object(at: $0, isTyped: false) }
    }

    package override func decodePropertyList() -> Any? { decodeObject() }

    package override func decodePropertyList(forKey key: String) -> Any? {
        decodeObject(of: FoundationClass.propertyLists, forKey: key)
    }

    package override func decodeData() -> Data? { (decodeObject() as? NSData).map { Data(referencing: $0) } }

    package override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
        // The memory keeps what its owner put there.
        reject("a value that is described by a type of Objective-C is not read")
    }

    package override func decodeBool(forKey key: String) -> Bool { decodeInt64(forKey: key) != 0 }

    package override func decodeCInt(forKey key: String) -> Int32 { decodeInt32(forKey: key) }

    package override func decodeInt32(forKey key: String) -> Int32 {
        Int32(truncatingIfNeeded: decodeInt64(forKey: key))
    }

    package override func decodeInteger(forKey key: String) -> Int { Int(truncatingIfNeeded: decodeInt64(forKey: key)) }

    package override func decodeInt64(forKey key: String) -> Int64 {
        switch plainValue(key) {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value.int64 ?? Int64(bitPattern: value.uint64 ?? 0)
        case .real(let value): Int64(exactly: value.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    package override func decodeFloat(forKey key: String) -> Float { Float(decodeDouble(forKey: key)) }

    package override func decodeDouble(forKey key: String) -> Double {
        guard case .real(let value) = plainValue(key) else { return Double(decodeInt64(forKey: key)) }
        return value
    }

    package override func withDecodedUnsafeBytes<Result>(
        forKey key: String,
        body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try withDecodedUnsafeBufferPointer(forKey: key) { try body($0.map { UnsafeRawBufferPointer($0) }) }
    }

    package override func withDecodedUnsafeBufferPointer<Result>(
        forKey key: String,
        body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
        guard let entry = entry(key) else { return try body(nil) }
        switch list.parts[entry] {
        case .plain(.data(let data)): return try [UInt8](data).withUnsafeBufferPointer { try body($0) }
        case .text(let text) where frames.last?.isFoundations == true:
            // Foundation skips one mark of the byte order, which an archive's text does not have.
            let mark = text.unicodeScalars.first == "\u{FEFF}" ? "\u{FEFF}" : ""
            return try [UInt8]((mark + text).utf8).withUnsafeBufferPointer { try body($0) }
        default: return try body(nil)
        }
    }
}
#endif
