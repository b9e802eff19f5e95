#if os(Linux)
import KeyspanTestSupport
import Testing

/// Checks that the tool, which uses all of `Keyspan`, runs without full Foundation and without ICU.
@Suite struct LinkageTests {
    /// The libraries that the dynamic loader would load for the tool, directly or not.
    private static func loadedLibraries() throws -> String {
        try TestProcess.run(["ldd", TestProcess.product("keyspan")])
    }

    @Test(arguments: ["libFoundation.so", "libFoundationInternationalization.so", "lib_FoundationICU.so", "libicu"])
    func `Keyspan does not load`(_ library: String) throws {
        #expect(try !Self.loadedLibraries().contains(library))
    }

    @Test func `the listing is one of a program that uses Foundation's small half`() throws {
        #expect(try Self.loadedLibraries().contains("libFoundationEssentials.so"))
    }
}
#endif
