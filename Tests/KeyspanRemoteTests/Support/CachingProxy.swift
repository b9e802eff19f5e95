#if RemoteHTTPClient && os(Linux)
import Foundation
import KeyspanTestSupport
import NIOCore
import NIOPosix
import Testing

/// nginx as a caching proxy in front of a server, configured as the documentation says.
final class CachingProxy {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// Every port that was free was taken before nginx listened.
    struct NoPort: Error {}

    private static let program = "/usr/sbin/nginx"

    let port: Int
    private let folder: TemporaryFolder
    private let process: TestProcess

    /// Starts nginx, and returns when it listens.
    ///
    /// - Parameter target: The port of the server.
    static func start(to target: Int) async throws -> CachingProxy {
        for _ in 0..<8 {
            let proxy = try CachingProxy(at: try await freePort(), to: target)
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

    private init(at port: Int, to target: Int) throws {
        self.port = port
        folder = try TemporaryFolder()
        let file = try folder.write(Self.configuration(port, target, folder.path("")), to: "nginx.conf")
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

    private static func configuration(_ port: Int, _ target: Int, _ folder: String) -> String {
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
            proxy_cache_path \(folder)cache keys_zone=settings:1m;
            server {
                listen 127.0.0.1:\(port);
                location = /settings {
                    proxy_pass http://127.0.0.1:\(target);
                    proxy_cache settings;
                    proxy_cache_revalidate on;
                    proxy_cache_bypass $http_cache_control;
                    gzip on;
                    gzip_proxied any;
                    gzip_types text/plain;
                }
                location = /settings/changes {
                    proxy_pass http://127.0.0.1:\(target);
                    proxy_http_version 1.1;
                }
            }
        }
        """
    }
}
#endif
