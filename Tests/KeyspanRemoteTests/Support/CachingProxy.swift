#if RemoteHTTPClient && os(Linux)
import Foundation
import KeyspanTestSupport
import NIOCore
import NIOPosix
import Testing

/// nginx as a caching proxy in front of a server.
final class CachingProxy {
    enum Kind: CaseIterable {
        /// With the lines of the documentation.
        case documented
        /// With one cache for everything but streams, whose key is the path without the query.
        case ignoringQuery
    }

    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// Every port that was free was taken before nginx listened.
    struct NoPort: Error {}

    private static let program = "/usr/sbin/nginx"

    let port: Int
    private let folder: TemporaryFolder
    private let process: TestProcess

    /// Starts nginx, and returns when it listens.
    ///
    /// - Parameters:
    ///   - kind: The configuration.
    ///   - target: The port of the server.
    static func start(_ kind: Kind = .documented, to target: Int) async throws -> CachingProxy {
        for _ in 0..<8 {
            let proxy = try CachingProxy(kind, at: try await freePort(), to: target)
            // nginx writes its number when it listens.
            try await eventually("nginx listens or has ended", within: .seconds(120)) {
                proxy.process.exitStatus != nil || !proxy.contents(of: "nginx.pid").isEmpty
            }
            if proxy.process.exitStatus == nil { return proxy }
            // Someone else may have taken the free port first.
            let errors = proxy.contents(of: "error.log")
            try #require(errors.contains("Address already in use"), "nginx has ended: \(errors)")
        }
        throw NoPort()
    }

    private static func freePort() async throws -> Int {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        try await listener.close()
        return port
    }

    private init(_ kind: Kind, at port: Int, to target: Int) throws {
        self.port = port
        folder = try TemporaryFolder()
        let server = (kind == .documented ? try Self.documentedLines() : Self.linesIgnoringQuery)
            .replacing("/var/cache/nginx/settings", with: folder.path("cache"))
            .replacing("http://127.0.0.1:8080", with: "http://127.0.0.1:\(target)")
            .replacing("server {", with: "server {\nlisten 127.0.0.1:\(port);")
        let file = try folder.write(Self.configuration(server, folder.path("")), to: "nginx.conf")
        process = try TestProcess([Self.program, "-e", folder.path("error.log"), "-c", file, "-p", folder.path("")])
    }

    deinit {
        // Unlike SIGKILL, this ends the worker as well.
        process.send(SIGTERM)
        _ = process.waitForExit()
    }

    /// Lets nginx start its workers anew, which ends streams.
    func reload() { process.send(SIGHUP) }

    /// The lines that nginx has written for requests, each with the status, the state of the cache and the encoding.
    var log: [String] {
        contents(of: "access.log").split(separator: "\n").map(String.init)
    }

    private func contents(of name: String) -> String { (try? folder.text(of: name)) ?? "" }

    /// The lines of the article about caches.
    private static func documentedLines() throws -> String {
        let repository = try #require(#filePath.range(of: "/Tests/")).lowerBound
        let article = "/Sources/KeyspanRemote/KeyspanRemote.docc/CachesAndManyClients.md"
        let text = try String(contentsOfFile: #filePath.prefix(upTo: repository) + article, encoding: .utf8)
        let start = try #require(text.range(of: "proxy_cache_path "), "the article has no configuration of nginx")
        let end = try #require(text.range(of: "```", range: start.lowerBound..<text.endIndex))
        return String(text[start.lowerBound..<end.lowerBound])
    }

    private static let linesIgnoringQuery = """
        proxy_cache_path /var/cache/nginx/settings keys_zone=settings:1m;
        server {
            location / {
                proxy_pass http://127.0.0.1:8080;
                proxy_cache settings;
                proxy_cache_key $uri;
            }
        }
        """

    private static func configuration(_ server: String, _ folder: String) -> String {
        """
        daemon off;
        \(getuid() == 0 ? "user root;" : "")
        pid \(folder)nginx.pid;
        worker_processes 1;
        events { worker_connections 512; }
        http {
            log_format settings '$request_uri $status $upstream_cache_status $sent_http_content_encoding';
            access_log \(folder)access.log settings;
            client_body_temp_path \(folder)body;
            proxy_temp_path \(folder)proxy;
            \(server)
        }
        """
    }
}
#endif
