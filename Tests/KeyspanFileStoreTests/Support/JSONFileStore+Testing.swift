import KeyspanCore
import KeyspanFileStore

extension JSONFileStore {
    /// Stores a text under a key.
    func set(_ text: String, forKey key: String = "key") throws {
        try apply(PropertyListBatch(.set(.string(text), key: key)))
    }
}

/// The bytes of a file that holds one text.
func fileBytes(_ text: String, forKey key: String = "key") -> [UInt8] {
    JSONFileCodec().encode([key: .string(text)])
}
