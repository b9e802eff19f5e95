/// How the files are called that belong to a settings file and are beside it.
///
/// A name has at most 255 bytes. So the name of a companion begins with the settings file's name, or, if that is long,
/// with its first 200 bytes and a checksum of all of it: two files whose names begin alike have no companion in common.
enum CompanionName {
    /// The part that tells whose companion it is.
    ///
    /// - Parameters:
    ///   - name: The name of the settings file.
    ///   - room: How many bytes of it leave room for the rest of the companion's name; more than 212. The journal's is
    ///     part of its format, because all programs have to find the same one.
    static func stem(of name: String, room: Int = 240) -> String {
        if name.utf8.count <= room { return name }
        let beginning = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        let checksum = CRC32C.checksum(of: Array(name.utf8)[...])
        return "\(beginning).\(String(checksum, radix: 16))"
    }
}
