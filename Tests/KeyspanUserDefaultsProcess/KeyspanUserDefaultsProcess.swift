import Foundation
import KeyspanCore
import KeyspanUserDefaults

/// A program that uses `UserDefaults`, with a store or without, as the tests of several processes start it.
///
/// Its arguments are a role, the name of a suite, and what the role takes. It ends as programs do, by returning.
@main
enum KeyspanUserDefaultsProcess {
    static func main() throws {
        var words = CommandLine.arguments.dropFirst()
        guard let role = words.popFirst().flatMap(Role.init), let suite = words.popFirst() else {
            FileHandle.standardError.write(Data("The arguments are a role, a suite, and what the role takes.\n".utf8))
            exit(1)
        }
        try role.run(suite: suite, Array(words))
    }
}
