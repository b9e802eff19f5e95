import Foundation
import KeyspanCore

// The benchmarks have links to its files instead.
#if canImport(KeyspanTestSupport)
import KeyspanTestSupport
#endif

/// What tests ask of a cluster through etcdctl. All methods block the calling thread.
extension TestCluster {
    /// Runs etcdctl and throws ``TestProcess/Failure``, with the text on standard error, if it does not succeed.
    ///
    /// - Parameters:
    ///   - arguments: The command and its arguments, such as `"put", "key", "value"`.
    ///   - endpoints: The addresses to use in place of those of all members, for example that of a proxy.
    ///   - input: The text on standard input.
    /// - Returns: The text on standard output.
    @discardableResult
    func etcdctl(_ arguments: String..., endpoints: [String]? = nil, input: String = "") throws -> String {
        let trust = tls?.clientArguments ?? []
        let command = etcdctlCommand(endpoints ?? self.endpoints, trust, user.withLock { $0 }) + arguments
        return try TestProcess.run(command, environment: Self.environment, input: Array(input.utf8))
    }

    /// Waits for the member that leads.
    ///
    /// A majority of the members must name it. An isolated leader that does not know yet that it has lost is not returned,
    /// provided that this process reaches the others.
    ///
    /// - Parameters:
    ///   - former: A member that is not accepted, to wait for its successor.
    ///   - timeout: The longest wait.
    func leader(besides former: ClusterMember? = nil, within timeout: Duration = .seconds(120)) throws -> ClusterMember
    {
        let deadline = ContinuousClock.now + timeout
        while true {
            if let leader = try currentLeader(), leader !== former { return leader }
            guard ContinuousClock.now < deadline else { throw failure("no leader after \(timeout)") }
            // Paces the attempts, each of which starts a process.
            usleep(20_000)
        }
    }

    /// The revision of the last write, by a linearizable read.
    func revision() throws -> Int64 {
        struct Answer: Decodable {
            let header: Header
        }
        struct Header: Decodable {
            let revision: Int64
        }
        let text = try etcdctl("get", "keyspan-revision", "--write-out", "json")
        return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).header.revision
    }

    /// Discards the history before a revision.
    func compact(at revision: Int64) throws {
        try etcdctl("compact", "\(revision)")
    }

    /// Runs etcdctl at some members without a look at their certificates, which may be what a test has broken.
    ///
    /// - Parameter user: The user with the password; without one, etcdctl asks for no token, which costs a member 70 ms of CPU.
    func administer(
        _ arguments: [String],
        at members: [ClusterMember],
        as user: String? = nil
    ) throws -> TestProcess.Result {
        let trust = (tls?.clientArguments ?? []) + (tls == nil ? [] : ["--insecure-skip-tls-verify"])
        let command = etcdctlCommand(members.map(\.endpoint), trust, user) + arguments
        return try TestProcess(command, environment: Self.environment).finish()
    }

    private func etcdctlCommand(_ endpoints: [String], _ arguments: [String], _ user: String?) -> [String] {
        let scheme = tls == nil ? "http" : "https"
        let addresses = endpoints.map { "\(scheme)://\($0)" }.joined(separator: ",")
        return ["etcdctl", "--endpoints", addresses] + (user.map { ["--user", $0] } ?? []) + arguments
    }

    /// The member that a majority of all members names as the leader, if there is one now.
    private func currentLeader() throws -> ClusterMember? {
        let responsive = members.filter(\.isResponsive)
        guard !responsive.isEmpty else { return nil }
        let command = ["--command-timeout", "1s", "endpoint", "status", "--write-out", "json"]
        // Members that do not answer make it fail, but it prints the status of the others.
        let output = try administer(command, at: responsive).output
        guard let answers = try? JSONDecoder().decode([EndpointStatus].self, from: Data(output.utf8)) else {
            return nil
        }
        let votes = Dictionary(grouping: answers, by: \.status.leader).mapValues(\.count)
        guard let elected = votes.first(where: { $0.value > members.count / 2 && $0.key != nil })?.key,
            let answer = answers.first(where: { $0.status.header.member == elected })
        else {
            return nil
        }
        return responsive.first { answer.endpoint.hasSuffix("//\($0.endpoint)") }
    }
}

/// An element of what `etcdctl endpoint status` prints as JSON.
private struct EndpointStatus: Decodable {
    struct Status: Decodable {
        let header: Header
        /// The id of the leader that the member knows; absent during an election.
        let leader: UInt64?
    }

    struct Header: Decodable {
        let member: UInt64

        private enum CodingKeys: String, CodingKey {
            case member = "member_id"
        }
    }

    let endpoint: String
    let status: Status

    private enum CodingKeys: String, CodingKey {
        case endpoint = "Endpoint"
        case status = "Status"
    }
}
