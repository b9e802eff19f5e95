import Testing

@testable import KeyspanEtcd

@Suite struct EndpointTests {
    @Test(arguments: [
        ("host", "host", 2379), ("host:1", "host", 1), ("10.0.0.1:65535", "10.0.0.1", 65535), ("[::1]:80", "::1", 80),
        ("[fe80::1]", "fe80::1", 2379), ("http://host:80", "host", 80), ("https://host/", "host", 2379),
        ("https://[::1]:80/", "::1", 80), ("höst:80", "höst", 80),
    ])
    func `an endpoint is a host with or without a port`(text: String, host: String, port: Int) throws {
        let endpoint = try #require(Endpoint(text))
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(Endpoint(endpoint.description) == endpoint)
    }

    @Test(arguments: [
        "", ":80", "host:", "host:0", "host:65536", "host:+80", "host:-1", "host:80a", "::1", "[::1", "[]:80",
        "[::1]80",
        "[::1]:", "a b", "a/b", "http://", "ftp://host", "host:80:81", "host\n", "[::1]:+1", "http://http://host",
    ])
    func `no other text is an endpoint`(text: String) {
        #expect(Endpoint(text) == nil)
    }

    @Test func `addresses and names are told apart`() {
        for text in ["1.2.3.4", "255.255.255.255", "[::1]:1", "[fe80::1%eth0]"] {
            #expect(Endpoint(text)?.isAddress == true, "\(text)")
        }
        for text in ["1.2.3", "1.2.3.4.5", "999.1.1.1", "a.b.c.d", "1..2.3", "host"] {
            #expect(Endpoint(text)?.isAddress == false, "\(text)")
        }
    }
}

@Suite struct BackoffTests {
    @Test func `pauses double up to the longest one, and chance takes less than half of them`() {
        var backoff = Backoff(first: .milliseconds(10), longest: .milliseconds(100))
        for round in 0..<2 {
            for whole in [10, 20, 40, 80, 100, 100] {
                let pause = backoff.next()
                #expect(pause >= .milliseconds(whole) / 2 && pause <= .milliseconds(whole), "round \(round)")
            }
            for _ in 0..<100 { _ = backoff.next() }
            backoff.reset()
        }
    }
}
