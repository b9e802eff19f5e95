import Foundation
import Testing

@Suite(.enabled(if: TestCluster.isInstalled)) struct ProxyTests {
    @Test func `a client works through a proxy`() throws {
        try withProxy { cluster, proxy in
            try cluster.etcdctl("put", "key", endpoints: [proxy.endpoint], input: Data(repeating: 120, count: 500_000))
            let value = try cluster.etcdctl("get", "key", "--print-value-only", endpoints: [proxy.endpoint])
            #expect(value.utf8.count == 500_001)
            #expect(proxy.acceptedCount >= 2)
        }
    }

    @Test func `bytes are delayed in either direction`() throws {
        try withProxy { cluster, proxy in
            proxy.delay(.milliseconds(150))
            let time = try ContinuousClock().measure { try cluster.etcdctl("get", "key", endpoints: [proxy.endpoint]) }
            #expect(time > .milliseconds(300))
            proxy.delay(.zero)
            try cluster.etcdctl("get", "key", endpoints: [proxy.endpoint])
        }
    }

    @Test func `a message that trickles in arrives`() throws {
        try withProxy { cluster, proxy in
            try cluster.etcdctl("put", "key", input: Data(repeating: 120, count: 1_000))
            proxy.trickle(bytes: 3, .toClient)
            let time = try ContinuousClock().measure {
                let value = try cluster.etcdctl("get", "key", "--print-value-only", endpoints: [proxy.endpoint])
                #expect(value.utf8.count == 1_001)
            }
            #expect(time > .milliseconds(300))
        }
    }

    @Test func `a response is cut after some bytes and the next connection works`() throws {
        try withProxy { cluster, proxy in
            try cluster.etcdctl("put", "key", input: Data(repeating: 120, count: 100_000))
            proxy.cutAfter(bytes: 5_000)
            let value = try cluster.etcdctl("get", "key", "--print-value-only", endpoints: [proxy.endpoint])
            #expect(value.utf8.count == 100_001)
            #expect(proxy.acceptedCount == 2)
        }
    }

    @Test func `a client sees exactly the bytes before a cut, and then a reset`() throws {
        try withServer { server, proxy in
            proxy.cutAfter(bytes: 10)
            let client = try connect(proxy)
            defer { close(client) }
            let accepted = try accept(server)
            defer { close(accepted) }
            let bytes = [UInt8](0..<20)
            #expect(send(accepted, bytes, bytes.count, 0) == bytes.count)
            #expect(try receive(client, 10) == Array(bytes.prefix(10)))
            #expect(try nextError(client) == ECONNRESET)
            #expect(try nextError(accepted) == ECONNRESET)
        }
    }

    @Test func `a cut resets both sides`() throws {
        try withServer { server, proxy in
            let client = try connect(proxy)
            defer { close(client) }
            let accepted = try accept(server)
            defer { close(accepted) }
            proxy.cut()
            #expect(proxy.connectionCount == 0)
            #expect(try nextError(client) == ECONNRESET)
            #expect(try nextError(accepted) == ECONNRESET)
        }
    }

    @Test func `an end in one direction leaves the other one open`() throws {
        try withServer { server, proxy in
            let client = try connect(proxy)
            defer { close(client) }
            let accepted = try accept(server)
            shutdown(client, Int32(SHUT_WR))
            #expect(try receive(accepted, 1) == [])
            #expect(send(accepted, [7], 1, 0) == 1)
            close(accepted)
            #expect(try receive(client, 2) == [7])
            let deadline = ContinuousClock.now + .seconds(5)
            while proxy.connectionCount > 0, ContinuousClock.now < deadline { usleep(1_000) }
            #expect(proxy.connectionCount == 0)
        }
    }

    @Test func `a put whose response is held back is executed`() throws {
        try withProxy { cluster, proxy in
            // The client needs the settings of the server before it sends a request.
            proxy.delay(.seconds(1), .toServer)
            let paused = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while proxy.passedBytes(.toClient) == 0 { usleep(1_000) }
                proxy.pause(.toClient)
                paused.signal()
            }
            #expect(throws: Command.Failure.self) {
                try cluster.etcdctl("--command-timeout", "4s", "put", "key", "held", endpoints: [proxy.endpoint])
            }
            paused.wait()
            let stored = try cluster.etcdctl("get", "key", "--print-value-only")
            #expect(stored == "held\n")
            proxy.resume()
            proxy.delay(.zero)
            let seen = try cluster.etcdctl("get", "key", "--print-value-only", endpoints: [proxy.endpoint])
            #expect(seen == "held\n")
        }
    }

    @Test func `a paused connection passes its bytes once it is resumed`() throws {
        try withServer { server, proxy in
            let client = try connect(proxy)
            defer { close(client) }
            let accepted = try accept(server)
            defer { close(accepted) }
            proxy.pause(.toServer)
            #expect(send(client, [1], 1, 0) == 1)
            #expect(send(accepted, [2], 1, 0) == 1)
            #expect(try receive(client, 1) == [2])
            var event = pollfd(fd: accepted, events: Int16(POLLIN), revents: 0)
            #expect(poll(&event, 1, 100) == 0)
            proxy.resume(.toServer)
            #expect(try receive(accepted, 1) == [1])
        }
    }

    @Test func `new connections are refused until they are accepted again`() throws {
        try withProxy { cluster, proxy in
            proxy.refuse()
            let refused = #expect(throws: POSIXError.self) {
                try check(connect(proxy))
            }
            #expect(refused?.code == .ECONNREFUSED)
            #expect(throws: Command.Failure.self) {
                try cluster.etcdctl("--command-timeout", "500ms", "get", "key", endpoints: [proxy.endpoint])
            }
            try proxy.accept()
            try cluster.etcdctl("get", "key", endpoints: [proxy.endpoint])
        }
    }

    @Test func `a client is reset if the server is down`() throws {
        let port = try LoopbackPort()
        let proxy = try TCPProxy(to: "\(port.endpoint)")
        defer { proxy.stop() }
        let client = try connect(proxy)
        defer { close(client) }
        #expect(try nextError(client) == ECONNRESET)
        #expect(proxy.connectionCount == 0)
    }

    #if os(Linux)
    @Test func `a proxy leaves no thread and no descriptor`() async throws {
        // Other tests open and close some of their own at the same time.
        await #expect(processExitsWith: .success) {
            func threads() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            }
            func descriptors() throws -> Int {
                let folder = "/proc/self/fd"
                return try FileManager.default.contentsOfDirectory(atPath: folder).count { descriptor in
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
                    return target?.hasPrefix("socket:") == true || target?.hasPrefix("pipe:") == true
                }
            }
            func use() throws {
                let server = try LoopbackPort()
                let listener = try server.endpoint.listen()
                let proxy = try TCPProxy(to: "\(server.endpoint)")
                let clients = try (0..<5).map { _ in try #require(IPv4Endpoint(proxy.endpoint)).beginConnecting() }
                while proxy.connectionCount < 5 { usleep(1_000) }
                clients.prefix(2).forEach { close($0) }
                proxy.stop()
                proxy.stop()
                clients.dropFirst(2).forEach { close($0) }
                close(listener)
            }
            let before = try descriptors()
            // The runtime adds threads of its own, but not as many as there are proxies.
            let mostThreads = try threads() + 10
            for _ in 0..<30 { try use() }
            let deadline = ContinuousClock.now + .seconds(20)
            while try threads() > mostThreads || descriptors() != before {
                guard ContinuousClock.now < deadline else {
                    print(
                        "\(try threads()) threads of \(mostThreads), \(try descriptors()) descriptors, \(before) before"
                    )
                    exit(1)
                }
                usleep(1_000)
            }
        }
    }
    #endif

    /// Runs a body with a cluster of one member and a proxy to it.
    private func withProxy(_ body: (TestCluster, TCPProxy) throws -> Void) throws {
        let cluster = try TestCluster(.init(size: 1))
        let proxy = try TCPProxy(to: cluster.members[0].endpoint)
        defer {
            proxy.stop()
            cluster.stop()
        }
        try body(cluster, proxy)
    }

    /// Runs a body with a listening socket and a proxy to it.
    private func withServer(_ body: (Int32, TCPProxy) throws -> Void) throws {
        let port = try LoopbackPort()
        let server = try port.endpoint.listen()
        let proxy = try TCPProxy(to: "\(port.endpoint)")
        defer {
            proxy.stop()
            close(server)
        }
        try body(server, proxy)
    }

    private func connect(_ proxy: TCPProxy) throws -> Int32 {
        let client = try #require(IPv4Endpoint(proxy.endpoint)).beginConnecting()
        try wait(client, POLLOUT)
        return client
    }

    /// Throws the error with which a connection has failed, and closes it.
    private func check(_ descriptor: Int32) throws {
        var (error, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        close(descriptor)
        if let code = POSIXErrorCode(rawValue: error) { throw POSIXError(code) }
    }

    private func accept(_ server: Int32) throws -> Int32 {
        try wait(server, POLLIN)
        return Foundation.accept(server, nil, nil)
    }

    /// Receives bytes until there are so many, or the connection has ended or was reset.
    private func receive(_ descriptor: Int32, _ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var chunk = [UInt8](repeating: 0, count: count - bytes.count)
            try wait(descriptor, POLLIN)
            let received = recv(descriptor, &chunk, chunk.count, 0)
            guard received > 0 else { break }
            bytes += chunk.prefix(received)
        }
        return bytes
    }

    /// The error that a read reports now or once it has an outcome, or 0 if it has none.
    private func nextError(_ descriptor: Int32) throws -> Int32 {
        try wait(descriptor, POLLIN)
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) < 0 ? errno : 0
    }

    private func wait(_ descriptor: Int32, _ events: some BinaryInteger) throws {
        var event = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        try #require(poll(&event, 1, 5_000) == 1)
    }
}
