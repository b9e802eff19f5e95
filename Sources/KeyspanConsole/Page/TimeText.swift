#if Console
@_spi(StoreAuthors) import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Points in time on a page.
enum TimeText {
    /// The element `time`, in UTC.
    static func html(of date: Date) -> HTMLText {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        let text = DateText.text(for: seconds) ?? ""
        let words = text.replacing("T", with: " ").replacing("Z", with: " UTC")
        return #"<time datetime="\#(text)">\#(words)</time>"#
    }
}
#endif
