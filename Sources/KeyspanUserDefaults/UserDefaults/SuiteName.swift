import Foundation
import KeyspanCore

/// The name of a suite that can be opened.
struct SuiteName: Sendable, Hashable {
    /// The name.
    @UTF8Text private(set) var text: String

    /// What its store is called.
    var storeName: String { "UserDefaults suite \(text)" }

    /// Checks a name.
    ///
    /// - Throws: `StoreError` if it is empty, is one of the domains that `UserDefaults` has for itself, or would lead out of
    ///   the folder in which Linux keeps the files of suites.
    init(_ text: String) throws(StoreError) {
        self.text = text
        let reserved = [UserDefaults.globalDomain, UserDefaults.argumentDomain, UserDefaults.registrationDomain]
        if text.isEmpty || text == "." || text == ".." {
            throw invalid(because: "it is no name")
        }
        if text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
            throw invalid(because: "it has a slash or a NUL, and would be a file in another folder")
        }
        if reserved.contains(text) {
            throw invalid(because: "it is a domain that UserDefaults has for itself")
        }
    }

    private func invalid(because reason: String) -> StoreError {
        StoreError(
            .invalidSuiteName,
            store: storeName,
            reason: "no suite can have the name \(text.debugDescription): \(reason)",
            remedy: "use a name such as org.example.greeter or the identifier of an app group"
        )
    }
}
