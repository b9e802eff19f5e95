import Keyspan
import KeyspanRemote
import NotesShared

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads and follows the settings of the notes from another machine than the server's.
///
///     notes-remote --server=http://127.0.0.1:8080/remote --public-key=2026-11:…
///     notes-remote watch --server=http://127.0.0.1:8080/remote --public-key=2026-11:…
@main
struct NotesRemote {
    static func main() async {
        do {
            let arguments = CommandLine.arguments
            let client = try Defaults.Group<ClientKeys>(arguments: arguments)
            guard let remote = try client.remoteStore() else {
                print("usage: notes-remote [watch] --server=<address> --public-key=<key>\n\nSettings:")
                print(client.help(), terminator: "")
                exit(1)
            }
            let settings = Defaults.Group<NotesKeys>(remote)
            if arguments.dropFirst().first == "watch" {
                await watch(settings, remote)
            } else {
                await show(settings, remote)
            }
        } catch {
            put("notes-remote: \(error)", to: STDERR_FILENO)
            exit(1)
        }
    }

    /// Prints all settings: those that the server has now, or those of the cache file if it cannot be reached.
    private static func show(_ settings: Defaults.Group<NotesKeys>, _ remote: RemoteStore) async {
        do {
            try await remote.fetch()
        } catch {
            put("notes-remote: \(error)", to: STDERR_FILENO)
        }
        print(settings.describe(), terminator: "")
    }

    /// Prints each change within moments, until Control-C or SIGTERM.
    private static func watch(_ settings: Defaults.Group<NotesKeys>, _ remote: RemoteStore) async {
        // Process 1 of a container ignores these signals unless it handles them. The cache file survives this at any instant.
        for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
        let changes = settings.changes()
        remote.isLive = true
        put("watching \(remote.name)", to: STDOUT_FILENO)
        for await change in changes { put("\(change) (\(remote.status))", to: STDOUT_FILENO) }
    }

    /// Writes a line at once: `print` keeps lines back if nobody reads them on a terminal.
    private static func put(_ line: String, to file: Int32) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }
}
