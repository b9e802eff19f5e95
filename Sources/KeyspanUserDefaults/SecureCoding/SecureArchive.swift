internal import Foundation
internal import KeyspanCore

/// Keyed archives of one object, with errors that carry no value.
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
    /// On Linux Foundation would end the program where an object is of another class than asked for, however deep inside. So
    /// there all classes in the archive are looked at first, and Foundation is then told to take them: each has to support
    /// secure coding, and what is of another class than its reader asked for reaches that reader as `nil`.
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
            throw .unreadable(stored, reason: "it is no archive of a \(type): \(error.code)")
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
    /// The domain and the number of an error, whose text can contain the value.
    fileprivate var code: String {
        let error = self as NSError
        return "\(error.domain) \(error.code)"
    }
}
