import CPeers
import Foundation

/// A database of LMDB with the contents of our stores; only where the library is installed.
final class LMDBDatabase {
    private let database: OpaquePointer

    /// Makes a database of that many keys.
    init(folder: String, count: Int) throws {
        guard keyspan_lmdb_is_installed() else {
            throw MissingPeer("LMDB is not installed (Debian: apt-get install liblmdb0)")
        }
        var error: UnsafePointer<CChar>?
        guard let database = keyspan_lmdb_open(folder, &error) else {
            throw BenchmarkError("LMDB: \(error.map { String(cString: $0) } ?? "")")
        }
        self.database = database
        try Self.check(keyspan_lmdb_begin(database))
        for index in 0..<count {
            try put(index, forKey: Contents.name(index))
        }
        try Self.check(keyspan_lmdb_commit(database))
    }

    deinit {
        keyspan_lmdb_close(database)
    }

    /// Writes a value, which is on the disk when this returns.
    func put(_ value: Int, forKey key: String) throws {
        var (key, value) = (key, value)
        try key.withUTF8 { utf8 in
            try utf8.withMemoryRebound(to: CChar.self) { bytes in
                try Self.check(
                    keyspan_lmdb_put(database, bytes.baseAddress, bytes.count, &value, MemoryLayout<Int>.size)
                )
            }
        }
    }

    /// Reads a value as the last commit left it.
    func value(forKey key: String) -> Int? {
        var (key, value): (String, UInt64) = (key, 0)
        let isThere = key.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { bytes in
                keyspan_lmdb_get(database, bytes.baseAddress, bytes.count, &value)
            }
        }
        return isThere ? Int(truncatingIfNeeded: value) : nil
    }

    private static func check(_ error: UnsafePointer<CChar>?) throws {
        if let error { throw BenchmarkError("LMDB: \(String(cString: error))") }
    }
}
