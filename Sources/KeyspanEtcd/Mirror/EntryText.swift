#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The text of a value in the cluster: JSON on one line, in the forms of `JSONText`.
enum EntryText {
    static func encode(_ value: PropertyListValue) -> Data {
        Data(JSONText.encodeOnOneLine(value))
    }

    static func decode(_ text: Data) throws(JSONTextError) -> PropertyListValue {
        try JSONText.parse([UInt8](text))
    }
}
#endif
