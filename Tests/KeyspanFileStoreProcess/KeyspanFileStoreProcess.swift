// One import for all files of this program.
@_exported import Foundation

/// A process with a store, as the tests of several processes start it, let it run and kill it.
///
/// Reports go to standard output, a line at a time, each before the next step.
@main
enum KeyspanFileStoreProcess {
    static func main() {
        StopRequest.begin()
        guard let invocation = Invocation(arguments: Array(CommandLine.arguments.dropFirst())) else {
            fail("The arguments are a role, a path, a mode, a name, a count, a number of openings and a seed.")
        }
        do {
            try invocation.role.run(invocation)
        } catch {
            fail("\(invocation.role) \(invocation.name): \(error)")
        }
    }

    private static func fail(_ sentence: String) -> Never {
        say(sentence, to: STDERR_FILENO)
        exit(1)
    }
}
