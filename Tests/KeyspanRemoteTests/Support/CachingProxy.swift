#if RemoteHTTPClient && os(Linux)
import Foundation
import KeyspanTesting
import Testing

/// nginx as a caching proxy in front of a server, configured as the documentation says.
final class CachingProxy {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    private static let program = "/usr/sbin/nginx"

    let port: Int
    private let folder: TemporaryFolder
    private let process = Process()

    /// Starts nginx, and returns when it listens.
    ///
    /// - Parameter target: The port of the server.
    static func start(to target: Int) async throws -> CachingProxy {
        let proxy = try CachingProxy(to: target)
        try await eventually { !proxy.process.isRunning || LocalPort.accepts(proxy.port) }
        try #require(proxy.process.isRunning, "nginx has ended: \(proxy.errors)")
        return proxy
    }

    private init(to target: Int) throws {
        folder = try TemporaryFolder()
        port = try LocalPort.free()
        let file = try folder.write(Self.configuration(port, target, folder.path("")), to: "nginx.conf")
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["-e", folder.path("error.log"), "-c", file, "-p", folder.path("")]
        try process.run()
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Lets nginx start its workers anew, which ends streams.
    func reload() { kill(process.processIdentifier, SIGHUP) }

    /// The lines that nginx has written for requests, each with the status, the state of the cache and the encoding.
    var log: [String] {
        let text = (try? String(contentsOfFile: folder.path("access.log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private var errors: String { (try? String(contentsOfFile: folder.path("error.log"), encoding: .utf8)) ?? "" }

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
