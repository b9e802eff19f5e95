import Foundation
import KeyspanTestSupport

extension TemporaryFolder {
    /// Runs a script of changes to files: `overwrite file new = new; remove file = -`.
    ///
    /// The text behind `=` is expected after the step.
    ///
    /// - Parameters:
    ///   - script: The steps. In names, `$` stands for the path of the folder. A text has no spaces.
    ///   - watch: Called for the step `watch`, with its words.
    ///   - expect: Waits for the text behind `=`.
    func run(
        _ script: String,
        watch: ([String]) throws -> Void = { _ in },
        expect: (String) async throws -> Void
    ) async throws {
        for step in script.split(separator: ";") {
            let sides = step.split(separator: " = ")
            let words = sides[0].split(whereSeparator: \.isWhitespace).map { String($0).replacing("$", with: path) }
            if words[0] == "watch" { try watch(Array(words.dropFirst())) } else { try perform(words) }
            if sides.count > 1 { try await expect(String(sides[1])) }
        }
    }

    private func perform(_ words: [String]) throws {
        switch words[0] {
        case "overwrite": try overwrite(words[1], words[2])
        case "append": try append(words[2], to: words[1])
        case "replace": try replace(words[1], words[2])
        case "remove": try remove(words[1])
        case "rename": try rename(words[1], to: words[2])
        case "folder": try makeFolder(words[1])
        case "link": try link(words[1], to: words[2])
        case "relink": try replaceLink(words[1], to: words[2])
        case "name": try FileManager.default.linkItem(atPath: path(words[2]), toPath: path(words[1]))
        case "mode": try check(chmod(path(words[1]), mode_t(words[2], radix: 8) ?? 0))
        default: preconditionFailure("unknown step \(words)")
        }
    }
}
