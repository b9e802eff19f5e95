#if os(Linux)
import Foundation
import Testing

/// Checks that the tool, which uses all of `Keyspan`, runs without full Foundation and without ICU.
@Suite struct LinkageTests {
    /// The built `keyspan`, which is beside the test bundle.
    private static let executable = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent()
        .appending(path: "keyspan")

    /// The libraries that the dynamic loader would load for it, directly or not.
    private static func loadedLibraries() throws -> String {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["ldd", executable.path]
        process.standardOutput = output
        try process.run()
        let listing = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ldd cannot read \(executable.path)")
        return String(decoding: listing ?? Data(), as: UTF8.self)
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
