#if !canImport(Darwin)
package import Foundation
internal import KeyspanCore

/// The objects of a keyed archive, checked before Foundation on Linux reads them, because Foundation ends the program for some archives.
///
/// It does so for an object of another class than the requested one, and for a class that does not support secure coding. An object
/// that contains itself exhausts the stack.
///
/// The check inspects each part of the archive once, however many others share it, and spends a budget on it.
package struct ArchiveOutline {
    // Each level takes some kilobytes of the stack.
    private static let maximumDepth = 128

    private let list: ArchiveParts
    // The number of each object's part.
    private let objects: [Int]
    private let root: Int

    /// Reads an archive.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package init(_ archive: Data, budget: inout ArchiveBudget) throws {
        guard
            let list = ArchiveParts(archive, budget: &budget),
            let array = list.value(of: "$objects", in: list.top), case .array(let objects) = list.parts[array],
            let top = list.value(of: "$top", in: list.top),
            let entry = list.value(of: NSKeyedArchiveRootObjectKey, in: top),
            case .reference(let root) = list.parts[entry]
        else { throw CocoaError(.coderReadCorrupt) }
        self.list = list
        self.objects = objects
        self.root = root
    }

    /// Throws unless the archive can be read as an object of a class.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    package func check(_ type: AnyClass, budget: inout ArchiveBudget) throws {
        var walk = Walk(budget: budget)
        defer { budget = walk.budget }
        let object = try part(ofObject: root)
        guard let found = try decodedClass(of: object, &walk), Self.isKind(found, of: type) else { throw Self.refusal }
        _ = try height(ofObject: object, &walk)
    }

    private static var refusal: CocoaError { CocoaError(.coderReadCorrupt) }

    /// The state of a walk from the root.
    private struct Walk {
        /// The heights of objects, by their parts.
        var heights: [Int: Int] = [:]
        /// The heights of lists of objects, by their parts.
        ///
        /// They are separate because one part can be both a list and an object, which counts as a plain value.
        var listHeights: [Int: Int] = [:]
        /// The classes of objects, by the parts of the classes.
        var classes: [Int: AnyClass] = [:]
        /// The objects around the current one.
        var open: Set<Int> = []
        /// The number of levels around the current object: objects, and lists in lists.
        var depth = 0
        var budget: ArchiveBudget

        init(budget: ArchiveBudget) {
            self.budget = budget
        }

        /// Returns a known height, or throws if it is too deep here.
        func known(_ height: Int?) throws -> Int? {
            guard let height else { return nil }
            guard depth + height <= ArchiveOutline.maximumDepth else { throw ArchiveOutline.refusal }
            return height
        }

        mutating func spend(_ amount: Int) throws {
            guard budget.spend(amount) else { throw ArchiveOutline.refusal }
        }
    }

    /// The number of levels of an object, including itself; 0 for a plain value.
    ///
    /// Throws if the object contains itself or an object that cannot be read.
    private func height(ofObject object: Int, _ walk: inout Walk) throws -> Int {
        if let height = try walk.known(walk.heights[object]) { return height }
        guard walk.depth <= Self.maximumDepth, walk.open.insert(object).inserted else { throw Self.refusal }
        walk.depth += 1
        defer {
            walk.open.remove(object)
            walk.depth -= 1
        }
        var height = 0
        if case .dictionary(let names, let values) = list.parts[object] {
            try walk.spend(1 + names.count)
            _ = try decodedClass(of: object, &walk)
            for (name, value) in zip(names, values) where list.text(name)?.hasSameUTF8(as: "$class") != true {
                height = max(height, try self.height(ofEntry: value, &walk))
            }
            height += 1
        }
        walk.heights[object] = height
        return height
    }

    /// The number of levels of the object or list of objects to which an entry refers.
    private func height(ofEntry part: Int, _ walk: inout Walk) throws -> Int {
        switch list.parts[part] {
        case .reference(let reference): return try height(ofObject: try self.part(ofObject: reference), &walk)
        case .array(let elements): return try height(ofList: elements, at: part, &walk)
        case .text, .dictionary, .plain: return 0
        }
    }

    private func height(ofList elements: [Int], at part: Int, _ walk: inout Walk) throws -> Int {
        if let height = try walk.known(walk.listHeights[part]) { return height }
        try walk.spend(1 + elements.count)
        var height = 0
        for element in elements {
            guard case .array(let inner) = list.parts[element] else {
                height = max(height, try self.height(ofEntry: element, &walk))
                continue
            }
            guard walk.depth <= Self.maximumDepth else { throw Self.refusal }
            walk.depth += 1
            defer { walk.depth -= 1 }
            height = max(height, try self.height(ofList: inner, at: element, &walk) + 1)
        }
        walk.listHeights[part] = height
        return height
    }

    /// The part of an object.
    private func part(ofObject reference: Int) throws -> Int {
        guard objects.indices.contains(reference) else { throw Self.refusal }
        return objects[reference]
    }

    /// The class of an object; `nil` for a plain value.
    private func decodedClass(of object: Int, _ walk: inout Walk) throws -> AnyClass? {
        guard let entry = list.value(of: "$class", in: object), case .reference(let reference) = list.parts[entry]
        else {
            return nil
        }
        let names = try part(ofObject: reference)
        if let known = walk.classes[names] { return known }
        guard
            let name = list.value(of: "$classname", in: names).flatMap(list.text), Self.isNameOfClass(name),
            let found = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name),
            (found as? any NSSecureCoding.Type)?.supportsSecureCoding == true
        else { throw Self.refusal }
        walk.classes[names] = found
        return found
    }

    /// Whether a text can be the name of a class; Foundation's search for some other texts ends the program.
    private static func isNameOfClass(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isAlphanumeric || "._$".utf8.contains($0) }
    }

    private static func isKind(_ found: AnyClass, of type: AnyClass) -> Bool {
        found == type || (found as? NSObject.Type)?.isSubclass(of: type) == true
    }
}

/// A limit for the work of checking an archive and for the size of the objects in it: some bytes for each byte of the archive.
///
/// The check spends the budget on everything that it inspects, so that no archive keeps a reader busy for long.
package struct ArchiveBudget {
    /// The number of bytes that any archive may stand for.
    package static let bytesAtLeast = 1 << 16
    /// The number of bytes that a larger archive may stand for, for each of its own bytes.
    ///
    /// Names of properties can be long, and all objects of a class share them.
    package static let bytesPerByte = 64

    /// The whole budget, which also limits the bytes that the archive may stand for.
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
