/// A process with a store, as the tests of several processes start it, let it run and kill it.
///
/// Reports go to standard output, a line at a time, each before the next step.
@main
enum KeyspanFileStoreProcess {
    static func main() {
        StopRequest.begin()
        guard let invocation = Invocation(arguments: Array(CommandLine.arguments.dropFirst())) else {
            end("The arguments are a role, a path, a mode, a name, a count and a number of openings.")
        }
        do {
            try invocation.role.make(for: invocation).run()
        } catch {
            end("\(invocation.role) \(invocation.name): \(error)")
        }
    }

    private static func end(_ sentence: String) -> Never {
        Output.error.write(sentence)
        exit(1)
    }
}

// One import for all files of this program.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif
