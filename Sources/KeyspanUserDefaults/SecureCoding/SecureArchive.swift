internal import Foundation
internal import KeyspanCore

/// Keyed archives of one object.
///
/// The errors never contain the value.
enum SecureArchive {
    /// The archive of an object.
    ///
    /// On Linux, the archive is read before it is returned, so that nothing is stored that cannot be read.
    static func data<Object: NSObject & NSSecureCoding>(of object: Object) throws(ValueEncodingError) -> Data {
        #if canImport(Darwin)
        do {
            return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        } catch {
            throw ValueEncodingError(reason: "\(type(of: object)) cannot be archived: \(error.code)")
        }
        #else
        let archive = try ArchiveWriter.archive(of: object)
        do {
            _ = try ArchiveReader(archive).read(Object.self)
        } catch {
            throw ValueEncodingError(reason: "the archive of the \(type(of: object)) cannot be read: \(error.reason)")
        }
        return archive
        #endif
    }

    /// The object in an archive.
    static func object<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type,
        in archive: Data
    ) throws(ValueDecodingError) -> Object {
        let stored = PropertyListValue.data(archive)
        #if canImport(Darwin)
        do {
            if let object = try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: archive) { return object }
        } catch {
            throw .unreadable(stored, reason: "it is not an archive of a \(type): \(error.code)")
        }
        throw .unreadable(stored, reason: "the archive has no \(type)")
        #else
        do {
            return try ArchiveReader(archive).read(type)
        } catch {
            throw .unreadable(stored, reason: "it is not an archive of a \(type): \(error.reason)")
        }
        #endif
    }
}

#if canImport(Darwin)
extension Error {
    /// The domain and code of an error, in place of its text, which can contain the value.
    fileprivate var code: String {
        let error = self as NSError
        return "\(error.domain) \(error.code)"
    }
}
#endif
