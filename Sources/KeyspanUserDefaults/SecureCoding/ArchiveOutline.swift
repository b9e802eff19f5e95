#if !canImport(Darwin)
internal import Foundation

/// What a keyed archive is made of, looked at before Foundation on Linux reads it, which ends the program for some archives.
///
/// It does so where an object is of another class than the one that is asked for, or of a class that does not support secure
/// coding, and where an object contains itself it exhausts the stack.
struct ArchiveOutline {
    // Each level takes some kilobytes of the stack.
    private static let maximumDepth = 128

    private let list: BinaryPropertyList
    // The number of each object's part in the list.
    private let objects: [Int]
    private let root: Int

    /// Reads an archive.
    init(_ archive: Data) throws {
        guard
            let list = BinaryPropertyList(archive),
            let array = list.value(of: "$objects", in: list.top), case .array(let objects) = list.parts[array],
            let top = list.value(of: "$top", in: list.top),
            let entry = list.value(of: NSKeyedArchiveRootObjectKey, in: top),
            case .reference(let root) = list.parts[entry]
        else { throw CocoaError(.coderReadCorrupt) }
        self.list = list
        self.objects = objects
        self.root = root
    }

    /// Throws unless the archive can be read as an object of that class.
    func check(_ type: AnyClass) throws {
        guard let object = part(root), let found = try decodedClass(of: object), Self.isKind(found, of: type) else {
            throw CocoaError(.coderReadCorrupt)
        }
        var walk = Walk()
        _ = try height(root, &walk)
    }

    /// Which objects were seen on the way from the root.
    private struct Walk {
        var heights: [Int: Int] = [:]
        var path: Set<Int> = []
    }

    /// How many levels an object has, itself one of them, and none for a plain value.
    ///
    /// Throws if it contains itself or an object that cannot be read.
    private func height(_ reference: Int, _ walk: inout Walk) throws -> Int {
        if let height = walk.heights[reference] {
            guard walk.path.count + height <= Self.maximumDepth else { throw CocoaError(.coderReadCorrupt) }
            return height
        }
        guard let object = part(reference), walk.path.count <= Self.maximumDepth, walk.path.insert(reference).inserted
        else { throw CocoaError(.coderReadCorrupt) }
        defer { walk.path.remove(reference) }
        var height = 0
        if case .dictionary(let names, let values) = list.parts[object] {
            _ = try decodedClass(of: object)
            for (name, value) in zip(names, values) where list.text(name) != "$class" {
                for inner in references(in: value) {
                    height = max(height, try self.height(inner, &walk))
                }
            }
            height += 1
        }
        walk.heights[reference] = height
        return height
    }

    /// The part that an object is.
    private func part(_ reference: Int) -> Int? {
        objects.indices.contains(reference) ? objects[reference] : nil
    }

    /// The objects that an entry of an object refers to: one, or those of a list.
    private func references(in part: Int) -> [Int] {
        switch list.parts[part] {
        case .reference(let reference): [reference]
        case .array(let elements): elements.flatMap(references(in:))
        case .text, .dictionary, .plain: []
        }
    }

    /// The class of an object that is archived by its entries; `nil` for one that is a plain value.
    private func decodedClass(of object: Int) throws -> AnyClass? {
        guard let entry = list.value(of: "$class", in: object), case .reference(let reference) = list.parts[entry]
        else {
            return nil
        }
        guard
            let names = part(reference),
            let name = list.value(of: "$classname", in: names).flatMap(list.text), Self.isNameOfClass(name),
            let found = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name),
            (found as? any NSSecureCoding.Type)?.supportsSecureCoding == true
        else { throw CocoaError(.coderReadCorrupt) }
        return found
    }

    /// Whether a text can be the name of a class; with some other texts Foundation's search for the class ends the program.
    private static func isNameOfClass(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._$".contains($0)) }
    }

    private static func isKind(_ found: AnyClass, of type: AnyClass) -> Bool {
        found == type || (found as? NSObject.Type)?.isSubclass(of: type) == true
    }
}
#endif
