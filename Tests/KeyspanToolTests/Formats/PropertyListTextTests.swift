import Keyspan
import Testing

@testable import KeyspanTool

@Suite struct PropertyListTextTests {
    /// A space and a combining character behind it are one `Character`, and white space to Swift.
    @Test(arguments: [" \u{301}{", "\u{301}{", " \u{200D}[", "\t\u{FE0F}\"", " \u{301}<plist>"])
    func `a text that begins with a combining character begins like no format`(_ text: String) throws {
        #expect(try PropertyListText.parse(text) == nil)
        #expect(try BareArgument.parse(text) == .string(text))
    }

    @Test func `space before a format is passed over`() throws {
        #expect(try PropertyListText.parse(" \n[1]") == [1])
    }
}
