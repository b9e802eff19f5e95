#if !canImport(Darwin)
internal import Foundation
internal import KeyspanCore

/// Archives an object where Foundation on Linux would end the program for some of them.
///
/// It does so for an object of a class without secure coding, and of a class that it has no name for: a private one, one inside
/// of another type, a generic one. Both can be anywhere in the object that is archived. So each object is looked at before it
/// is encoded, and one that cannot be is replaced, after which the whole archive is refused.
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
        // Foundation does not look a name up that NSKeyedArchiver.setClassName(_:for:) gave to such a class.
        if Self.isNamed(archived) { return nil }
        return ValueEncodingError(
            reason: "\(archived) is private, generic or inside of another type, so an archive has no name for it; "
                + "move it to the top level of a file, as internal or public"
        )
    }

    /// Whether `NSStringFromClass` knows a name: of a module and one type in it, and nothing else.
    private static func isNamed(_ type: AnyClass) -> Bool {
        String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false).count == 2
    }
}
#endif
