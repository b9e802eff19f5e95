import Foundation
@_spi(StoreAuthors) public import KeyspanCore

/// The valid name of a suite.
struct SuiteName: Sendable, Hashable {
    /// The name.
    @UTF8Text private(set) var text: String

    /// The name of its store.
    var storeName: String { "UserDefaults suite \(text)" }

    /// Checks a name.
    ///
    /// - Throws: `StoreError` if it is empty, is one of `UserDefaults`' own domains, or would name a file outside the folder for
    ///   suites on Linux.
    init(_ text: String) throws(StoreError) {
        self.text = text
        let reserved = [UserDefaults.globalDomain, UserDefaults.argumentDomain, UserDefaults.registrationDomain]
        if text.isEmpty || text == "." || text == ".." {
            throw invalid(because: "it does not name a file")
        }
        if text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
            throw invalid(because: "it contains a slash or a NUL, and would name a file in another folder")
        }
        if reserved.contains(text) {
            throw invalid(because: "UserDefaults uses this domain itself")
        }
    }

    private func invalid(because reason: String) -> StoreError {
        StoreError(
            .invalidSuiteName,
            store: storeName,
            reason: "no suite can have the name \(text.quoted): \(reason)",
            remedy: "use a name such as org.example.greeter or the identifier of an app group"
        )
    }
}

extension StoreError.Code {
    /// No suite of `UserDefaults` can have the name.
    public static let invalidSuiteName = StoreError.Code("invalidSuiteName")
    /// The file or folder of the store's values could not be opened.
    public static let cannotOpen = StoreError.Code("cannotOpen")
    /// Other code has stored an object under the key that is not a property-list value.
    public static let notPropertyList = StoreError.Code("notPropertyList")
}
