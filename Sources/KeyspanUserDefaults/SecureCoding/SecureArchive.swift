internal import Foundation
internal import KeyspanCore

/// Keyed archives of one object.
///
/// The errors never contain the value.
enum SecureArchive {
    /// The archive of an object.
    static func data(of object: some NSObject & NSSecureCoding) throws(ValueEncodingError) -> Data {
        do {
            #if canImport(Darwin)
            return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            #else
            return try SecureArchiver.data(of: object)
            #endif
        } catch let error as ValueEncodingError {
            throw error
        } catch {
            throw ValueEncodingError(reason: "\(type(of: object)) cannot be archived: \(error.code)")
        }
    }

    /// The object in an archive.
    ///
    /// On Linux, Foundation ends the program if an object at any depth has another class than its reader asked for. So all
    /// classes in the archive are checked first, and Foundation then accepts any class: each must support secure coding, and
    /// an object of another class than its reader asked for reaches that reader as `nil`.
    static func object<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type,
        in archive: Data
    ) throws(ValueDecodingError) -> Object {
        let stored = PropertyListValue.data(archive)
        do {
            guard let object = try read(type, in: archive) else {
                throw ValueDecodingError.unreadable(stored, reason: "the archive has no \(type)")
            }
            return object
        } catch let error as ValueDecodingError {
            throw error
        } catch {
            throw .unreadable(stored, reason: "it is not an archive of a \(type): \(error.code)")
        }
    }

    private static func read<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type,
        in archive: Data
    ) throws -> Object? {
        #if canImport(Darwin)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: archive)
        #else
        var budget = ArchiveBudget(for: archive)
        try ArchiveOutline(archive, budget: &budget).check(type, budget: &budget)
        let reader = try NSKeyedUnarchiver(forReadingFrom: archive)
        reader.requiresSecureCoding = false
        reader.decodingFailurePolicy = .setErrorAndReturn
        let object = reader.decodeObject(of: type, forKey: NSKeyedArchiveRootObjectKey)
        if let error = reader.error { throw error }
        return object
        #endif
    }
}

extension Error {
    /// The domain and code of an error, in place of its text, which can contain the value.
    fileprivate var code: String {
        let error = self as NSError
        return "\(error.domain) \(error.code)"
    }
}

#if !canImport(Darwin)
/// Archives objects, with errors where Foundation on Linux would end the program.
///
/// Foundation does so for a class without secure coding, and for a class that has no name in an archive: a private, nested or
/// generic one. Such an object can be anywhere inside the archived one. So each object is checked before it is encoded; an
/// object that cannot be encoded is replaced, and the whole archive is rejected afterwards.
final class SecureArchiver: NSObject, NSKeyedArchiverDelegate {
    private var refusal: ValueEncodingError?

    /// The archive of an object.
    static func data(of object: some NSObject & NSSecureCoding) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        let delegate = SecureArchiver()
        archiver.delegate = delegate
        if let refusal = delegate.refusal(of: object) { throw refusal }
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        if let refusal = delegate.refusal { throw refusal }
        if let error = archiver.error { throw error }
        return archiver.encodedData
    }

    func archiver(_ archiver: NSKeyedArchiver, willEncode object: Any) -> Any? {
        guard let refusal = refusal(of: object) else { return object }
        self.refusal = self.refusal ?? refusal
        // Foundation ends the program for `nil`.
        return NSNull()
    }

    func archiver(_ archiver: NSKeyedArchiver, didEncode object: Any?) {}

    func archiver(_ archiver: NSKeyedArchiver, willReplace object: Any?, withObject newObject: Any?) {}

    func archiverWillFinish(_ archiver: NSKeyedArchiver) {}

    func archiverDidFinish(_ archiver: NSKeyedArchiver) {}

    /// Why an object cannot be encoded; `nil` if it can.
    private func refusal(of object: Any) -> ValueEncodingError? {
        guard let object = object as? NSObject else { return nil }
        let type = type(of: object)
        guard (type as? any NSSecureCoding.Type)?.supportsSecureCoding == true else {
            return ValueEncodingError(reason: "\(type) does not support secure coding")
        }
        let archived: AnyClass = object.classForKeyedArchiver ?? type
        // Foundation ignores a name that NSKeyedArchiver.setClassName(_:for:) gave to such a class.
        if Self.isNamed(archived) { return nil }
        return ValueEncodingError(
            reason: "\(archived) is private, generic or inside another type, so an archive has no name for it; "
                + "move it to the top level of a file, as internal or public"
        )
    }

    /// Whether `NSStringFromClass` has a name for a class, which needs exactly a module and a type.
    private static func isNamed(_ type: AnyClass) -> Bool {
        String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false).count == 2
    }
}
#endif
